import Keyutils
import SecretText

/// A violation of D-Bus's wire format.
struct WireError: Error {}

/// Reads values of D-Bus's wire format, in either byte order, checking every length.
///
/// The message's memory holds secrets, so only names and other public values become strings.
struct WireReader {
    /// The specification's limit for an array.
    static let longestArray = 64 << 20
    /// The most bytes of an array of anything but bytes: reading its elements takes time.
    private static let longestList = 256 << 10

    private let message: SecretBox
    private let isBigEndian: Bool
    private(set) var offset: Int
    private let end: Int

    /// - Parameter range: the bytes to read; alignment counts from the beginning of the message.
    init(_ message: SecretBox, isBigEndian: Bool, range: Range<Int>) {
        (self.message, self.isBigEndian) = (message, isBigEndian)
        (offset, end) = (range.lowerBound, range.upperBound)
    }

    var isAtEnd: Bool { offset == end }

    mutating func align(to alignment: Int) throws(WireError) {
        let next = (offset + alignment - 1) & -alignment
        for _ in offset..<next {
            guard try byte() == 0 else { throw WireError() }
        }
    }

    /// Moves past the next bytes, and returns their place.
    private mutating func take(_ count: Int) throws(WireError) -> Range<Int> {
        guard count >= 0, count <= end - offset else { throw WireError() }
        defer { offset += count }
        return offset..<(offset + count)
    }

    private func withBytes<Result: ~Copyable>(_ range: Range<Int>, _ body: (RawSpan) -> Result) -> Result {
        message.bytes.withBytes { body($0.extracting(range)) }
    }

    mutating func byte() throws(WireError) -> UInt8 {
        withBytes(try take(1)) { $0[0] }
    }

    mutating func number() throws(WireError) -> UInt32 {
        try align(to: 4)
        return withBytes(try take(4)) { bytes in
            (0..<4).reduce(0) { sum, position in sum << 8 | UInt32(bytes[isBigEndian ? position : 3 - position]) }
        }
    }

    mutating func bool() throws(WireError) -> Bool {
        let number = try number()
        guard number <= 1 else { throw WireError() }
        return number == 1
    }

    mutating func string() throws(WireError) -> String {
        try text(count: Int(number()))
    }

    mutating func objectPath() throws(WireError) -> String {
        let path = try string()
        guard ObjectPath.isValid(path) else { throw WireError() }
        return path
    }

    mutating func signature() throws(WireError) -> TypeSignature {
        let text = try text(count: Int(byte()))
        guard let signature = TypeSignature(text.utf8) else { throw WireError() }
        return signature
    }

    private mutating func text(count: Int) throws(WireError) -> String {
        let text = withBytes(try take(count)) { String(validating: $0) }
        guard let text, !text.utf8.contains(0), try byte() == 0 else { throw WireError() }
        return text
    }

    /// Reads an array of bytes, and lends them to `body`.
    mutating func bytes<Result: ~Copyable>(_ body: (RawSpan) -> Result) throws(WireError) -> Result {
        withBytes(try take(arrayLength()), body)
    }

    private mutating func arrayLength() throws(WireError) -> Int {
        let length = Int(try number())
        guard length <= Self.longestArray else { throw WireError() }
        return length
    }

    /// Reads the elements of an array, each with `element`.
    mutating func array(
        alignedTo alignment: Int, _ element: (inout WireReader) throws(WireError) -> Void
    ) throws(WireError) {
        let length = try arrayLength()
        guard length <= Self.longestList else { throw WireError() }
        try align(to: alignment)
        let content = try take(length)
        var reader = WireReader(message, isBigEndian: isBigEndian, range: content)
        while !reader.isAtEnd { try element(&reader) }
    }

    mutating func variant() throws(WireError) -> TypeSignature {
        let signature = try signature()
        guard signature.isOneType else { throw WireError() }
        return signature
    }

    /// Reads a variant that holds a string.
    mutating func stringVariant() throws(WireError) -> String {
        guard try variant().bytes == Array("s".utf8) else { throw WireError() }
        return try string()
    }

    mutating func stringDictionary() throws(WireError) -> [Name: Name] {
        var entries: [Name: Name] = [:]
        try properties { name, reader throws(WireError) in entries[name] = Name(try reader.string()) }
        return entries
    }

    /// Reads a dictionary whose names are strings; `property` reads the value of a name.
    mutating func properties(
        _ property: (String, inout WireReader) throws(WireError) -> Void
    ) throws(WireError) {
        try array(alignedTo: 8) { reader throws(WireError) in
            try reader.align(to: 8)
            try property(reader.string(), &reader)
        }
    }

    mutating func objectPaths() throws(WireError) -> [String] {
        var paths: [String] = []
        try array(alignedTo: 4) { reader throws(WireError) in paths.append(try reader.objectPath()) }
        return paths
    }

    /// Reads and checks values of these types, without keeping them.
    ///
    /// - Parameter depth: how many arrays, structures and variants are around them; at most 64.
    mutating func skip(_ signature: TypeSignature, depth: Int = 0) throws(WireError) {
        var rest = signature.bytes[...]
        while !rest.isEmpty { try skipType(&rest, depth) }
    }

    private mutating func skipType(_ rest: inout ArraySlice<UInt8>, _ depth: Int) throws(WireError) {
        var whole = rest
        guard depth <= 64, let code = rest.popFirst() else { throw WireError() }
        try align(to: TypeSignature.alignment(of: code) ?? 1)
        if let size = TypeSignature.size(of: code) {
            _ = try take(size)
            return
        }
        switch code {
        case UInt8(ascii: "b"): _ = try bool()
        case UInt8(ascii: "s"): _ = try string()
        case UInt8(ascii: "o"): _ = try objectPath()
        case UInt8(ascii: "g"): _ = try signature()
        case UInt8(ascii: "v"): try skip(variant(), depth: depth + 1)
        case UInt8(ascii: "a") where rest.first == UInt8(ascii: "y"):
            try bytes { _ in }
            rest.removeFirst()
        case UInt8(ascii: "a"):
            let element = rest
            try array(alignedTo: rest.first.flatMap(TypeSignature.alignment) ?? 1) { reader throws(WireError) in
                var types = element
                try reader.skipType(&types, depth + 1)
            }
            TypeSignature.dropType(from: &whole)
            rest = whole
        default:
            // A structure or an entry of a dictionary.
            while let next = rest.first, next != UInt8(ascii: ")"), next != UInt8(ascii: "}") {
                try skipType(&rest, depth + 1)
            }
            rest.removeFirst()
        }
    }
}
