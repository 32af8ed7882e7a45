import CommandSupport
import Keyutils
package import SecretText

/// A client whose configuration is a file that we can change.
protocol FileSetup: ClientSetup {
    func path(for user: SetupUser) -> String

    /// Returns the content of a new file.
    func newFile(_ call: SetupCall) -> String

    /// Returns the edit that sets the client up; `nil` if it is set up already.
    func edit(_ text: RawSpan, _ call: SetupCall) throws(SetupRefusal) -> TextEdit?

    /// Returns the opposite of ``edit(_:_:)``; `nil` if no part of the text is ours.
    func removal(from text: RawSpan) throws(SetupRefusal) -> SetupRemoval?

    /// Returns warnings about other parts of the file.
    func remarks(on text: RawSpan, _ call: SetupCall) -> [CommandError]
}

/// The result of removing our lines from a file.
package enum SetupRemoval {
    case text(SecretBox)
    /// The whole file is to be deleted: it contains nothing else, and install has created it.
    case wholeFile
}

/// The reason why a configuration is left unchanged.
package enum SetupRefusal: Error, Equatable {
    /// The file can't be understood with certainty.
    case unclear(String, hint: String? = nil)
    /// The file names another helper.
    case taken(String, hint: String)
    /// The program that has to read the file is missing.
    case noProgram(String)
}

extension FileSetup {
    func write(_ call: SetupCall) throws(CommandError) -> [String] {
        try changing(call) { file throws(CommandError) in
            let shown = call.user.shown(file.path)
            guard let text = file.text else {
                let new = newFile(call)
                guard try unsafe file.replace(by: new.utf8Span.span.bytes, for: call.user) else { return nil }
                return ["created \(shown):"] + Self.lines(new)
            }
            return try text.bytes.withBytes { bytes throws(CommandError) in
                guard let edit = try refusing(file.path, { () throws(SetupRefusal) in try edit(bytes, call) }) else {
                    return ["\(call.name) is already set up in \(shown)"]
                }
                let isWritten = try edit.apply(to: bytes).withBytes { bytes throws(CommandError) in
                    try file.replace(by: bytes, for: call.user)
                }
                return isWritten
                    ? ["\(edit.range.isEmpty ? "added to" : "changed in") \(shown):"] + Self.lines(edit.replacement)
                    : nil
            }
        }
    }

    func remove(_ call: SetupCall) throws(CommandError) -> [String] {
        try changing(call) { file throws(CommandError) in
            guard let text = file.text else { return [] }
            let removal = try text.bytes.withBytes { bytes throws(CommandError) -> SetupRemoval? in
                try refusing(file.path) { () throws(SetupRefusal) in try self.removal(from: bytes) }
            }
            let shown = call.user.shown(file.path)
            switch removal {
            case nil: return []
            case .wholeFile:
                return try file.delete(for: call.user) ? ["removed \(shown), which contained nothing else"] : nil
            case .text(let rest):
                let isWritten = try rest.bytes.withBytes { bytes throws(CommandError) in
                    try file.replace(by: bytes, for: call.user)
                }
                return isWritten ? ["removed the helper from \(shown)"] : nil
            }
        }
    }

    /// Returns the file if the client is already set up there in the way that this call would do it.
    func place(settingUp call: SetupCall) -> String? {
        guard let file = try? ConfigurationFile(path(for: call.user)), let text = file.text else { return nil }
        return text.bytes.withBytes { bytes in
            do throws(SetupRefusal) {
                return try edit(bytes, call) == nil ? call.user.shown(file.path) : nil
            } catch {
                return nil
            }
        }
    }

    func remarks(_ call: SetupCall) -> [CommandError] {
        guard let file = try? ConfigurationFile(path(for: call.user)), let text = file.text else { return [] }
        return text.bytes.withBytes { remarks(on: $0, call) }
    }

    /// Reads the file and changes it, and tries again if other programs change it in between.
    private func changing(
        _ call: SetupCall, _ change: (borrowing ConfigurationFile) throws(CommandError) -> [String]?
    ) throws(CommandError) -> [String] {
        let path = path(for: call.user)
        for attempt in 0..<100 {
            let file = try ConfigurationFile(path)
            if attempt == 0 { file.removeOrphans() }
            if let lines = try change(file) { return lines }
        }
        throw CommandError(
            exitCode: .tryAgain, message: "other programs keep changing \(Display.quoted(path))", hint: "try again")
    }

    private static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { "  \(Display.plain(String($0).replacing("\t", with: "    ")))" }
    }

    /// Converts the reason for leaving the file unchanged to an error.
    func refusing<Value: ~Copyable>(
        _ path: String, _ body: () throws(SetupRefusal) -> Value
    ) throws(CommandError) -> Value {
        do throws(SetupRefusal) {
            return try body()
        } catch {
            switch error {
            case .unclear(let reason, let hint): throw ConfigurationFile.unreadable(path, reason, hint: hint)
            case .taken(let what, let hint):
                throw CommandError(
                    exitCode: .cannotCreate, message: "did not edit \(Display.quoted(path)): it has \(what)",
                    hint: hint)
            case .noProgram(let name):
                throw CommandError(
                    exitCode: .noCommand, message: "\(name) is not in PATH",
                    hint: "install it, or leave out --write-config")
            }
        }
    }
}
