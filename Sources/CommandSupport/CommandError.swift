import Keyutils

/// An error for the user: one line, at most two hints, the exit code, and the kernel's report.
package struct CommandError: Error, Equatable {
    package let exitCode: ExitCode
    package let message: String
    package let hint: String?
    /// Another hint, on the next line, about a cause that the message doesn't show.
    package var secondHint: String?
    /// The failed system call with its error number, for bug reports.
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
    /// Converts the argument parser's message to one line that starts in lower case.
    package static func usage(parser message: String, hint: String) -> CommandError {
        let lines = message.split(separator: "\n").map(String.init)
        var line = lines.first ?? message
        // The parser lists the values of a choice on separate lines.
        let invitation = ". Please provide one of the following:"
        if line.hasSuffix(invitation) {
            let values = lines.dropFirst().prefix { $0.hasPrefix("  - ") }.map { $0.dropFirst(4) }
            line = line.dropLast(invitation.count) + ": use " + values.joined(separator: ", ")
        }
        return .usage(line.prefix(1).lowercased() + line.dropFirst(), hint: durationHint(for: line) ?? hint)
    }

    /// Returns the forms of a duration if the message is about an option that takes a duration.
    ///
    /// Such a message ends with the name of the option's value.
    private static func durationHint(for message: String) -> String? {
        if message.hasSuffix("<duration>'") { return "write it as \(DurationText.forms)" }
        return message.hasSuffix("<duration|never>'") ? "write it as \(DurationText.forms), or never" : nil
    }
}
