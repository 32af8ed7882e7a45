package import CommandSupport

/// A `.env` file: what docker and the dotenv libraries agree on, as the help of `skr exec` has it.
package struct EnvironmentFile {
    static let limit = 1 << 20

    package let variables: [EnvironmentVariable]

    static func read(_ path: String) throws(CommandError) -> EnvironmentFile {
        try EnvironmentFile(parsing: InputFile.read(path, limit: limit), path: path)
    }

    package init(parsing content: [UInt8], path: String) throws(CommandError) {
        var variables: [EnvironmentVariable] = []
        // An editor's byte order mark is no part of the first name.
        let start = content.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let lines = content[start...].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            do throws(Problem) {
                if let variable = try Self.variable(on: line) { variables.append(variable) }
            } catch {
                // Never the line itself, which may hold a secret.
                throw .data("\(Display.plain(path)):\(index + 1): \(error.summary)", hint: error.hint)
            }
        }
        self.variables = variables
    }

    private static func variable(on line: ArraySlice<UInt8>) throws(Problem) -> EnvironmentVariable? {
        var line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        line = line.drop(while: isBlank)
        guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
        if line.contains(0) { throw .nul }
        if line.starts(with: "export".utf8), let next = line.dropFirst(6).first, isBlank(next) {
            line = line.dropFirst(6).drop(while: isBlank)
        }
        let name = line.prefix { $0 != UInt8(ascii: "=") }
        guard name.endIndex < line.endIndex, EnvironmentVariable.isName(name) else { throw .noAssignment }
        let value = try value(of: line[(name.endIndex + 1)...])
        return EnvironmentVariable(name: String(decoding: name, as: UTF8.self), value: try meaning(of: value))
    }

    private static func meaning(of value: [UInt8]) throws(Problem) -> EnvironmentVariable.Value {
        guard SecretReference.begins(value[...]) else { return .plain(value) }
        do throws(SecretReference.Problem) {
            return .secret(try SecretReference(parsing: value[...]))
        } catch {
            throw .reference(error)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}

/// What stands behind the `=` of a line.
extension EnvironmentFile {
    fileprivate static func value(of text: ArraySlice<UInt8>) throws(Problem) -> [UInt8] {
        let value = text.drop(while: isBlank)
        switch value.first {
        case UInt8(ascii: "'"): return try singleQuoted(value.dropFirst())
        case UInt8(ascii: "\""): return try doubleQuoted(value.dropFirst())
        // With the blanks before it, behind which a '#' begins a comment.
        default: return bare(text)
        }
    }

    private static func bare(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        var isBehindBlank = false
        for byte in text {
            if byte == UInt8(ascii: "#") && isBehindBlank { break }
            isBehindBlank = isBlank(byte)
            value.append(byte)
        }
        while let last = value.last, isBlank(last) { value.removeLast() }
        return Array(value.drop(while: isBlank))
    }

    private static func singleQuoted(_ text: ArraySlice<UInt8>) throws(Problem) -> [UInt8] {
        let value = text.prefix { $0 != UInt8(ascii: "'") }
        guard value.endIndex < text.endIndex else { throw .openQuote }
        try requireEnd(text[(value.endIndex + 1)...])
        return Array(value)
    }

    private static func doubleQuoted(_ text: ArraySlice<UInt8>) throws(Problem) -> [UInt8] {
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

    private static func requireEnd(_ text: ArraySlice<UInt8>) throws(Problem) {
        let rest = text.drop(while: isBlank)
        guard rest.isEmpty || rest.first == UInt8(ascii: "#") else { throw .textBehindQuote }
    }
}

extension EnvironmentFile {
    enum Problem: Error {
        case noAssignment, nul, openQuote, textBehindQuote
        case reference(SecretReference.Problem)

        var summary: String {
            switch self {
            case .noAssignment: "the line is not NAME=value"
            case .nul: "the line has a NUL byte"
            case .openQuote: "the quoted value does not end on its line"
            case .textBehindQuote: "there is text behind the quoted value"
            case .reference(let problem): problem.summary
            }
        }

        var hint: String {
            switch self {
            case .noAssignment:
                "a name is letters, digits and '_', with no blank before the '='; a comment begins with '#'"
            case .nul: "an environment holds text; store it as a secret and use --file"
            case .openQuote: #"close the quote; in double quotes write \n for a line break and \" for a quote"#
            case .textBehindQuote: "quote the whole value; a comment begins with '#'"
            case .reference: SecretReference.form
            }
        }
    }
}
