package import CommandSupport

/// A `.env` file: what docker and the dotenv libraries agree on.
///
/// A line is `NAME=value` or `export NAME=value`; blank lines and lines that begin with `#` are skipped. A value without
/// quotes goes to the end of the line, less the blanks around it and less a comment, which begins with a `#` behind a blank.
/// In single quotes everything is as it stands; in double quotes `\n` `\r` `\t` `\"` `\\` and `\$` are one character each,
/// and any other backslash is as it stands. A quoted value ends on its line. No variable is expanded. A value that begins
/// with `skr://` is a reference.
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
                throw CommandError(
                    exitCode: .data, message: "\(Display.plain(path)):\(index + 1): \(error.summary)", hint: error.hint)
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
        let value = try EnvironmentFileValue.parse(line[(name.endIndex + 1)...])
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

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
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
