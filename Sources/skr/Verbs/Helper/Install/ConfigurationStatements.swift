import CredentialHelpers

/// Where the statements of a configuration in TOML or HCL stand, and no more.
///
/// What it does not know for certain, such as a string of several lines, is an error: the file is left alone then.
package struct ConfigurationStatements {
    package enum Language {
        case toml, hcl
    }

    /// Not understood, on that line.
    package struct Unclear: Error, Equatable {
        package let line: Int
    }

    /// From its first byte to its last, without a comment behind it.
    package private(set) var ranges: [Range<Int>] = []
    private let language: Language
    private var position = 0
    private var line = 1
    /// The brackets that are to be closed.
    private var open: [UInt8] = []
    private var current: Range<Int>?

    package init(of text: RawSpan, in language: Language) throws(Unclear) {
        self.language = language
        guard text.isText else { throw Unclear(line: line) }
        while position < text.byteCount { try read(text) }
        guard open.isEmpty else { throw unclear }
        endStatement()
    }

    private var unclear: Unclear { Unclear(line: line) }

    private mutating func read(_ text: RawSpan) throws(Unclear) {
        let byte = text[position]
        let next = position + 1 < text.byteCount ? text[position + 1] : 0
        switch byte {
        case UInt8(ascii: "\n"):
            if open.isEmpty {
                endStatement()
            } else if language == .toml, open.last == UInt8(ascii: "}") {
                throw unclear
            }
            line += 1
            position += 1
        case UInt8(ascii: " "), UInt8(ascii: "\t"): position += 1
        case UInt8(ascii: "\r"):
            guard next == UInt8(ascii: "\n") else { throw unclear }
            position += 1
        case UInt8(ascii: "#"): skipLine(text)
        case UInt8(ascii: "/") where language == .hcl && next == byte: skipLine(text)
        case UInt8(ascii: "/") where language == .hcl && next == UInt8(ascii: "*"): try skipComment(text)
        default: try readPart(text, byte)
        }
    }

    /// Reads a part of a statement.
    private mutating func readPart(_ text: RawSpan, _ byte: UInt8) throws(Unclear) {
        let start = position
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): try skipString(text, quote: byte)
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            open.append(byte + 2)
            position += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            guard open.popLast() == byte else { throw unclear }
            position += 1
        case _ where byte.isLetter || byte.isDigit || "_-.,=:+".utf8.contains(byte): position += 1
        default: throw unclear
        }
        current = (current?.lowerBound ?? start)..<position
    }

    private mutating func skipString(_ text: RawSpan, quote: UInt8) throws(Unclear) {
        guard language == .toml || quote == UInt8(ascii: "\"") else { throw unclear }
        position += 1
        while position < text.byteCount, text[position] != quote {
            let byte = text[position]
            let isTemplate =
                language == .hcl && "$%".utf8.contains(byte) && position + 1 < text.byteCount
                && text[position + 1] == UInt8(ascii: "{")
            guard byte >= 0x20 || byte == UInt8(ascii: "\t"), !isTemplate else { throw unclear }
            position += byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
        }
        position += 1
        // Three quotes begin a string of several lines.
        guard position <= text.byteCount, position == text.byteCount || text[position] != quote else { throw unclear }
    }

    private mutating func skipLine(_ text: RawSpan) {
        position = text.offset(of: UInt8(ascii: "\n"), from: position) ?? text.byteCount
    }

    private mutating func skipComment(_ text: RawSpan) throws(Unclear) {
        position += 2
        while position + 1 < text.byteCount {
            if text[position] == UInt8(ascii: "*"), text[position + 1] == UInt8(ascii: "/") {
                position += 2
                return
            }
            if text[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        throw unclear
    }

    private mutating func endStatement() {
        if let current { ranges.append(current) }
        current = nil
    }
}
