import Keyutils

/// The grammar of RFC 8259, without its values.
extension JSONText {
    /// An editor's byte order mark is no part of the text.
    mutating func skipMark() {
        if peek() == 0xEF, peek(1) == 0xBB, peek(2) == 0xBF { position += 3 }
    }

    mutating func skipBlanks() {
        while let byte = peek(), Self.isBlank(byte) { position += 1 }
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
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

    /// A string with its quotes.
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

    /// One at least.
    private mutating func skipDigits() throws(Malformed) {
        let start = position
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw Malformed() }
    }

    mutating func require(_ text: StaticString) throws(Malformed) {
        for offset in 0..<text.utf8CodeUnitCount {
            guard unsafe peek() == text.utf8Start[offset] else { throw Malformed() }
            position += 1
        }
    }

    /// Goes past this character if it is next.
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
