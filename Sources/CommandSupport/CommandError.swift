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
