import Keyutils
import SecretText

/// Writes values of D-Bus's wire format, little endian.
///
/// It also counts without writing, because a message's memory has a fixed size.
struct WireWriter {
    private(set) var bytes: SecretWriter

    /// The number of bytes so far.
    var count: Int { bytes.count }

    mutating func align(to alignment: Int) {
        while count % alignment != 0 { bytes.append(0) }
    }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func number(_ value: Int) {
        align(to: 4)
        for position in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * position))) }
    }

    /// Replaces a number that has been written before.
    func replaceNumber(at place: Int, with value: Int) {
        for position in 0..<4 {
            bytes.replace(at: place + position, with: UInt8(truncatingIfNeeded: value >> (8 * position)))
        }
    }

    mutating func longNumber(_ value: UInt64) {
        align(to: 8)
        for position in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * position))) }
    }

    mutating func bool(_ value: Bool) { number(value ? 1 : 0) }

    /// Writes a string or an object path; a NUL, which neither can contain, ends it.
    mutating func string(_ text: String) {
        let end = text.utf8.firstIndex(of: 0) ?? text.utf8.endIndex
        let text = end == text.utf8.endIndex ? text : String(text[..<end])
        number(text.utf8.count)
        bytes.append(text)
        bytes.append(0)
    }

    mutating func signature(_ text: String) {
        bytes.append(UInt8(text.utf8.count))
        bytes.append(text)
        bytes.append(0)
    }

    mutating func array(alignedTo alignment: Int, _ elements: (inout WireWriter) -> Void) {
        number(0)
        let place = count - 4
        align(to: alignment)
        let start = count
        elements(&self)
        replaceNumber(at: place, with: count - start)
    }

    mutating func bytes(_ content: RawSpan) {
        number(content.byteCount)
        bytes.append(content)
    }

    mutating func strings(_ texts: [String]) {
        array(alignedTo: 4) { array in for text in texts { array.string(text) } }
    }

    /// Writes an array whose elements are structures or entries of a dictionary.
    mutating func entries<Element>(_ elements: [Element], _ write: (Element, inout WireWriter) -> Void) {
        array(alignedTo: 8) { array in
            for element in elements {
                array.align(to: 8)
                write(element, &array)
            }
        }
    }

    mutating func variant(_ value: WireValue) {
        signature(value.signature)
        write(value)
    }

    mutating func write(_ value: WireValue) {
        switch value {
        case .string(let text): string(text)
        case .bool(let value): bool(value)
        case .time(let seconds): longNumber(seconds)
        case .bytes(let content): content.bytes.withBytes { bytes($0) }
        case .objectPaths(let paths): strings(paths)
        case .stringDictionary(let entries):
            self.entries(entries.sorted { $0.key < $1.key }) { entry, writer in
                writer.string(entry.key)
                writer.string(entry.value)
            }
        }
    }
}

/// A value of a property or of another variant.
enum WireValue {
    case string(String)
    case bool(Bool)
    case time(UInt64)
    case bytes(SecretBox)
    case objectPaths([String])
    case stringDictionary([String: String])

    var signature: String {
        switch self {
        case .string: "s"
        case .bool: "b"
        case .time: "t"
        case .bytes: "ay"
        case .objectPaths: "ao"
        case .stringDictionary: "a{ss}"
        }
    }
}
