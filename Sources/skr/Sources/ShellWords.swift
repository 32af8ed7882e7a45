/// The words of one line, split as a POSIX shell splits them, but without any expansion.
///
/// A character that a shell would expand or act on is an error, so that no line means something else here than in a
/// shell. A `#` at the beginning of a word begins a comment.
struct ShellWords {
    private var rest: ArraySlice<UInt8>

    /// - Parameter line: the line without its line break.
    init(_ line: ArraySlice<UInt8>) {
        rest = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// Returns the next word; `nil` at the end of the line.
    mutating func next() throws(InputProblem) -> String? {
        rest = rest.drop { $0.isBlank }
        guard let first = rest.first, first != UInt8(ascii: "#") else { return nil }
        if first == UInt8(ascii: "~") { throw .expansion }
        let plain = rest.prefix(while: Self.isPlain)
        rest = rest[plain.endIndex...]
        if rest.first?.isBlank ?? true { return String(decoding: plain, as: UTF8.self) }
        var word = Array(plain)
        while let byte = rest.first, !byte.isBlank {
            rest.removeFirst()
            switch byte {
            case UInt8(ascii: "'"):
                guard let end = rest.firstIndex(of: byte) else { throw .openQuote }
                word += rest[..<end]
                rest = rest[(end + 1)...]
            case UInt8(ascii: "\""): try appendDoubleQuoted(to: &word)
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { throw .openLine }
                word.append(next)
            case _ where Self.isSpecial(byte): throw .expansion
            default: word.append(byte)
            }
        }
        guard let text = String(validating: word, as: UTF8.self) else { throw .notUTF8Line }
        return text
    }

    /// Whether a shell takes this character as it is; only a fast path, which needn't know all of them.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+")...UInt8(ascii: ":"), UInt8(ascii: "@")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Whether a shell would expand or act on this character outside of quotes.
    private static func isSpecial(_ byte: UInt8) -> Bool { "|&;<>()$*?[`".utf8.contains(byte) }

    private mutating func appendDoubleQuoted(to word: inout [UInt8]) throws(InputProblem) {
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "$"), UInt8(ascii: "`"): throw .expansion
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { throw .openQuote }
                if !"$`\"\\".utf8.contains(next) { word.append(byte) }
                word.append(next)
            default: word.append(byte)
            }
        }
        throw .openQuote
    }
}

extension InputProblem {
    fileprivate static let expansion = InputProblem(
        summary: "the line has a character that a shell would expand or act on",
        hint: "put the character in single quotes, or let a shell run the command: sh -c '...'")
    fileprivate static let openQuote = InputProblem(
        summary: "a quoted word does not end on its line", hint: "close the quote")
    fileprivate static let openLine = InputProblem(
        summary: "the line ends with a '\\'", hint: "write everything on one line")
    fileprivate static let notUTF8Line = InputProblem(
        summary: "the line is not valid UTF-8", hint: "use only UTF-8 text")
}
