/// An error for the user: one line, a hint, the exit code, and what the kernel reported.
package struct CommandError: Error, Equatable {
    package let exitCode: ExitCode
    package let message: String
    package let hint: String?
    /// The failed system call with its number, for bug reports.
    package let detail: String?

    package init(exitCode: ExitCode, message: String, hint: String?, detail: String? = nil) {
        self.exitCode = exitCode
        self.message = message
        self.hint = hint
        self.detail = detail
    }

    package static func usage(_ message: String, hint: String? = nil) -> CommandError {
        CommandError(exitCode: .usage, message: message, hint: hint)
    }

    package static func data(_ message: String, hint: String) -> CommandError {
        CommandError(exitCode: .data, message: message, hint: hint)
    }

    package static func internalError(_ message: String, hint: String?) -> CommandError {
        CommandError(exitCode: .internalError, message: message, hint: hint)
    }
}

extension CommandError {
    /// The argument parser's message as one line that begins in lower case.
    package static func usage(parser message: String, hint: String) -> CommandError {
        let lines = message.split(separator: "\n").map(String.init)
        var line = lines.first ?? message
        // The values of a choice are in lines of their own.
        let invitation = ". Please provide one of the following:"
        if line.hasSuffix(invitation) {
            let values = lines.dropFirst().prefix { $0.hasPrefix("  - ") }.map { $0.dropFirst(4) }
            line = line.dropLast(invitation.count) + ": use " + values.joined(separator: ", ")
        }
        return .usage(line.prefix(1).lowercased() + line.dropFirst(), hint: durationHint(for: line) ?? hint)
    }

    /// The forms of a duration, where the message is about an option that takes one: it ends with the option's name.
    private static func durationHint(for message: String) -> String? {
        if message.hasSuffix("<duration>'") { return "write it as \(DurationText.forms)" }
        return message.hasSuffix("<duration|never>'") ? "write it as \(DurationText.forms), or never" : nil
    }
}
