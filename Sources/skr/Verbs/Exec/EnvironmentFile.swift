package import CommandSupport
import Keyutils

/// A `.env` file in the form that docker and the dotenv libraries agree on.
///
/// The help of `skr exec` documents this form.
package struct EnvironmentFile {
    static let limit = 1 << 20

    package let variables: [EnvironmentVariable]

    static func read(_ path: String) throws(CommandError) -> EnvironmentFile {
        try EnvironmentFile(parsing: InputFile.read(path, limit: limit), path: path)
    }

    package init(parsing content: [UInt8], path: String) throws(CommandError) {
        var variables: [EnvironmentVariable] = []
        // An editor's byte order mark is not part of the first name.
        let start = content.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let lines = content[start...].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            do throws(InputProblem) {
                if let variable = try Self.variable(on: line) { variables.append(variable) }
            } catch {
                // The error never shows the line, which could hold a secret.
                throw CommandError(error, at: "\(Display.plain(path)):\(index + 1)")
            }
        }
        self.variables = variables
    }

    private static func variable(on line: ArraySlice<UInt8>) throws(InputProblem) -> EnvironmentVariable? {
        var line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        line = line.drop { $0.isBlank }
        guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
        if line.contains(0) { throw .nul }
        if line.starts(with: "export".utf8), let next = line.dropFirst(6).first, next.isBlank {
            line = line.dropFirst(6).drop { $0.isBlank }
        }
        let name = line.prefix { $0 != UInt8(ascii: "=") }
        guard name.endIndex < line.endIndex, EnvironmentBlock.isName(name) else { throw .noAssignment }
        let value = try value(of: line[(name.endIndex + 1)...])
        return EnvironmentVariable(
            name: String(decoding: name, as: UTF8.self),
            value: SecretReference.begins(value[...])
                ? .secret(try SecretReference(parsing: value[...])) : .plain(value))
    }
}

/// Parsing of the text after the `=` of a line.
extension EnvironmentFile {
    fileprivate static func value(of text: ArraySlice<UInt8>) throws(InputProblem) -> [UInt8] {
        let value = text.drop { $0.isBlank }
        switch value.first {
        case UInt8(ascii: "'"): return try singleQuoted(value.dropFirst())
        case UInt8(ascii: "\""): return try doubleQuoted(value.dropFirst())
        // With its leading blanks, because a '#' after a blank begins a comment.
        default: return bare(text)
        }
    }

    private static func bare(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        var isBehindBlank = false
        for byte in text {
            if byte == UInt8(ascii: "#") && isBehindBlank { break }
            isBehindBlank = byte.isBlank
            value.append(byte)
        }
        while let last = value.last, last.isBlank { value.removeLast() }
        return Array(value.drop { $0.isBlank })
    }

    private static func singleQuoted(_ text: ArraySlice<UInt8>) throws(InputProblem) -> [UInt8] {
        let value = text.prefix { $0 != UInt8(ascii: "'") }
        guard value.endIndex < text.endIndex else { throw .openQuote }
        try requireEnd(text[(value.endIndex + 1)...])
        return Array(value)
    }

    private static func doubleQuoted(_ text: ArraySlice<UInt8>) throws(InputProblem) -> [UInt8] {
        var value: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                try requireEnd(rest)
                return value
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { throw .openQuote }
                value += escaped(next)
            default: value.append(byte)
            }
        }
        throw .openQuote
    }

    private static func escaped(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "n"): [UInt8(ascii: "\n")]
        case UInt8(ascii: "r"): [UInt8(ascii: "\r")]
        case UInt8(ascii: "t"): [UInt8(ascii: "\t")]
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): [byte]
        default: [UInt8(ascii: "\\"), byte]
        }
    }

    private static func requireEnd(_ text: ArraySlice<UInt8>) throws(InputProblem) {
        let rest = text.drop { $0.isBlank }
        guard rest.isEmpty || rest.first == UInt8(ascii: "#") else { throw .textBehindQuote }
    }
}

extension InputProblem {
    fileprivate static let noAssignment = InputProblem(
        summary: "the line is not NAME=value",
        hint: "write a name of letters, digits and '_', without a blank before the '='; a comment begins with '#'")
    fileprivate static let nul = InputProblem(
        summary: "the line has a NUL byte",
        hint: "a variable can't hold a NUL byte; store the value as a secret and use --file")
    fileprivate static let openQuote = InputProblem(
        summary: "the quoted value does not end on its line",
        hint: #"close the quote; in double quotes write \n for a line break and \" for a quote"#)
    fileprivate static let textBehindQuote = InputProblem(
        summary: "there is text after the quoted value", hint: "quote the whole value; a comment begins with '#'")
}
