import CommandSupport
import CredentialHelpers

/// A client whose configuration is a file that we can change.
protocol FileSetup: ClientSetup {
    func path(for user: SetupUser) -> String

    /// The whole of a new file.
    func newFile(_ call: SetupCall) -> String

    /// The change to make; `nil` where there is none to make.
    ///
    /// - Throws: why the file is better left alone.
    func edit(_ text: RawSpan, _ call: SetupCall) throws(SetupRefusal) -> TextEdit?

    /// What takes it away again; `nil` where there is nothing of ours.
    func removal(from text: RawSpan) throws(SetupRefusal) -> AppendedLines.Removal?

    func state(of text: RawSpan) throws(SetupRefusal) -> ConfigurationState

    /// What else the user should know of what is there.
    func remarks(on text: RawSpan, _ call: SetupCall) -> [CommandError]
}

/// Why a configuration is left alone.
package enum SetupRefusal: Error, Equatable {
    /// Not understood for certain.
    case unclear(String, hint: String? = nil)
    /// It names another helper.
    case taken(String, hint: String)
}

extension FileSetup {
    func remarks(on text: RawSpan, _ call: SetupCall) -> [CommandError] { [] }

    func state(for user: SetupUser) -> ConfigurationState {
        let path = path(for: user)
        do throws(CommandError) {
            guard let text = try ConfigurationFile(path).text else { return .none }
            return try text.bytes.withBytes { bytes throws(CommandError) in
                try refusing(path) { () throws(SetupRefusal) -> ConfigurationState in try self.state(of: bytes) }
            }
        } catch {
            return .unreadable(user.shown(path))
        }
    }

    func write(_ call: SetupCall) throws(CommandError) -> [String] {
        let file = try ConfigurationFile(path(for: call.user))
        let shown = call.user.shown(file.path)
        guard let text = file.text else {
            let new = newFile(call)
            try unsafe file.write(new.utf8Span.span.bytes)
            return ["\(shown) is new:"] + new.split(whereSeparator: \.isNewline).map { "  \($0)" }
        }
        return try text.bytes.withBytes { bytes throws(CommandError) in
            let edit = try refusing(file.path) { () throws(SetupRefusal) -> TextEdit? in try self.edit(bytes, call) }
            for remark in remarks(on: bytes, call) { Console.warn(remark) }
            guard let edit else { return ["\(shown) has it already"] }
            try edit.apply(to: bytes).withBytes { bytes throws(CommandError) in try file.write(bytes) }
            let added = edit.replacement.split(whereSeparator: \.isNewline).map { "  \($0)" }
            return ["added to \(shown):"] + added
        }
    }

    func remove(_ call: SetupCall) throws(CommandError) -> [String] {
        let file = try ConfigurationFile(path(for: call.user))
        guard let text = file.text else { return [] }
        return try text.bytes.withBytes { bytes throws(CommandError) in
            let removal = try refusing(file.path) { () throws(SetupRefusal) -> AppendedLines.Removal? in
                try self.removal(from: bytes)
            }
            let shown = call.user.shown(file.path)
            switch removal {
            case nil: return []
            case .wholeFile:
                try file.delete()
                return ["removed \(shown), which had nothing else"]
            case .edit(let edit):
                try edit.apply(to: bytes).withBytes { bytes throws(CommandError) in try file.write(bytes) }
                return ["took it out of \(shown)"]
            }
        }
    }

    /// Where we may not change the file.
    private func refusing<Value>(
        _ path: String, _ body: () throws(SetupRefusal) -> Value
    ) throws(CommandError) -> Value {
        do throws(SetupRefusal) {
            return try body()
        } catch {
            switch error {
            case .unclear(let reason, let hint): throw ConfigurationFile.unreadable(path, reason, hint: hint)
            case .taken(let what, let hint):
                throw CommandError(
                    exitCode: .cannotCreate, message: "\(Display.quoted(path)) stays as it is: it has \(what)",
                    hint: hint)
            }
        }
    }
}

extension ConfigurationStatements {
    /// The same, or why the file is left alone.
    static func reading(_ text: RawSpan, _ language: Language) throws(SetupRefusal) -> ConfigurationStatements {
        do throws(Unclear) {
            return try ConfigurationStatements(of: text, in: language)
        } catch {
            throw .unclear("line \(error.line) is not understood for certain")
        }
    }
}
