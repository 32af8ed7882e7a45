import Keyutils

/// Finds a value in a JSON text without copying or decoding it.
///
/// Numbers of any size keep all their digits, because they are never converted. Parsing is not recursive, so deep
/// nesting doesn't use up the stack.
@safe struct JSONText {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    /// An object or array that is open at the current position.
    private struct Container {
        let isObject: Bool
        /// How many steps of the path lead to this container; `nil` if the path leads elsewhere.
        let steps: Int?
        var count = 0
    }

    /// - Parameter position: where to start; if that is not the beginning, the text must be known to be JSON.
    init(at position: Int = 0, of bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
        self.position = position
    }

    /// The text is not JSON.
    struct Malformed: Error {}

    /// Returns the range of the value that the path leads to; `nil` if the path leads to nothing.
    ///
    /// This checks the whole text. If several members of an object have the same name, the last one counts, as in `jq`.
    static func range(of path: JSONPath, in text: UnsafeRawBufferPointer) throws(Malformed) -> Range<Int>? {
        var text = unsafe JSONText(of: text)
        return try text.find(path)
    }

    private mutating func find(_ path: JSONPath) throws(Malformed) -> Range<Int>? {
        var open: [Container] = []
        var found: Range<Int>?
        // The start of the value that the path leads to, until its end is found.
        var start: (position: Int, depth: Int)?
        var steps: Int? = 0
        skipByteOrderMark()
        while true {
            skipBlanks()
            if steps == path.count { start = (position, open.count) }
            if next(is: "{") {
                open.append(Container(isObject: true, steps: steps))
            } else if next(is: "[") {
                open.append(Container(isObject: false, steps: steps))
            } else {
                try skipScalar()
            }
            // Close all containers that end here.
            while true {
                if let begun = start, begun.depth == open.count {
                    found = begun.position..<position
                    start = nil
                }
                guard var container = open.popLast() else { return try end(with: found) }
                skipBlanks()
                if next(is: container.isObject ? "}" : "]") { continue }
                if container.count > 0 { try require(",") }
                steps = try nextMember(of: &container, path)
                // If several members have the same name, the last one counts.
                if steps != nil { found = nil }
                container.count += 1
                open.append(container)
                break
            }
        }
    }

    /// Moves to the value of the next member.
    ///
    /// - Returns: how many steps of the path lead to it; `nil` if the path leads elsewhere.
    private mutating func nextMember(of container: inout Container, _ path: JSONPath) throws(Malformed) -> Int? {
        let step = container.steps.flatMap { $0 < path.count ? path[$0] : nil }
        skipBlanks()
        guard container.isObject else {
            return step?.position == container.count ? container.steps.map { $0 + 1 } : nil
        }
        let name = position + 1
        try skipString()
        let end = position - 1
        let isMeant =
            step.map { unsafe JSONString(UnsafeRawBufferPointer(rebasing: bytes[name..<end])).says($0.name) } ?? false
        skipBlanks()
        try require(":")
        return isMeant ? container.steps.map { $0 + 1 } : nil
    }

    private mutating func end(with found: Range<Int>?) throws(Malformed) -> Range<Int>? {
        skipBlanks()
        guard unsafe position == bytes.count else { throw Malformed() }
        return found
    }
}

/// The grammar of RFC 8259, without its values.
extension JSONText {
    /// Skips an editor's byte order mark, which does not belong to the text.
    mutating func skipByteOrderMark() {
        if peek() == 0xEF, peek(1) == 0xBB, peek(2) == 0xBF { position += 3 }
    }

    mutating func skipBlanks() {
        while let byte = peek(), byte.isWhiteSpace { position += 1 }
    }

    mutating func skipScalar() throws(Malformed) {
        switch peek() {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try require("true")
        case UInt8(ascii: "f"): try require("false")
        case UInt8(ascii: "n"): try require("null")
        default: try skipNumber()
        }
    }

    /// Skips a string with its quotes.
    mutating func skipString() throws(Malformed) {
        try require("\"")
        while let byte = peek(), byte >= 0x20 {
            position += 1
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\") { try skipEscape() }
        }
        throw Malformed()
    }

    private mutating func skipEscape() throws(Malformed) {
        guard let letter = peek() else { throw Malformed() }
        position += 1
        if letter == UInt8(ascii: "u") {
            for _ in 0..<4 {
                guard let digit = peek(), digit.hexDigitValue != nil else { throw Malformed() }
                position += 1
            }
        } else if JSONString.plainEscape(letter) == nil {
            throw Malformed()
        }
    }

    private mutating func skipNumber() throws(Malformed) {
        _ = next(is: "-")
        if !next(is: "0") { try skipDigits() }
        if next(is: ".") { try skipDigits() }
        if next(is: "e") || next(is: "E") {
            if !next(is: "+") { _ = next(is: "-") }
            try skipDigits()
        }
    }

    /// Skips one or more digits.
    private mutating func skipDigits() throws(Malformed) {
        let start = position
        while let byte = peek(), byte.isDigit { position += 1 }
        if position == start { throw Malformed() }
    }

    mutating func require(_ text: StaticString) throws(Malformed) {
        for offset in 0..<text.utf8CodeUnitCount {
            guard unsafe peek() == text.utf8Start[offset] else { throw Malformed() }
            position += 1
        }
    }

    /// Skips this character and returns true if it is next.
    mutating func next(is character: Unicode.Scalar) -> Bool {
        guard let byte = peek(), UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        let place = position + distance
        return unsafe place < bytes.count ? bytes[place] : nil
    }
}
