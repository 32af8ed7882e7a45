import Glibc
@_exported public import Keyutils
import SystemPackage

/// Writes only answers to standard output, and everything else to standard error.
package enum Console {
    package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    package static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }
    package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    private nonisolated(unsafe) static var lastWords: StaticString = ""

    /// Sets the text for standard output if this process ends with an error or by a usual signal, unless standard
    /// output is a terminal.
    ///
    /// Call it before any thread starts.
    package static func setLastWords(_ words: StaticString) {
        guard !isOutputTerminal else { return }
        unsafe lastWords = words
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            Console.writeLastWords()
            // The signal is blocked in this handler, and takes effect right after it.
            _ = Glibc.signal(number, SIG_DFL)
            raise(number)
        }
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] where !SignalAction.isIgnored(number) {
            unsafe sigaction(number, &action, nil)
        }
    }

    /// Writes the last words, unless the reader has stopped reading; a signal handler can call this.
    package static func writeLastWords() {
        let words = unsafe lastWords
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        guard words.utf8CodeUnitCount > 0, unsafe poll(&output, 1, 1_000) > 0,
            output.revents == Int16(POLLOUT)
        else { return }
        _ = unsafe Glibc.write(STDOUT_FILENO, words.utf8Start, words.utf8CodeUnitCount)
    }

    package static func writeLine(_ text: String) throws(CommandError) {
        try write(text + "\n")
    }

    package static func write(_ text: String) throws(CommandError) {
        try unsafe write(text.utf8Span.span.bytes)
    }

    package static func write(_ bytes: RawSpan) throws(CommandError) {
        do {
            try FileDescriptor.standardOutput.writeAll(bytes)
        } catch {
            throw .internalError("can't write to standard output: \(error)", hint: nil)
        }
    }

    /// Writes a secret's exact bytes; on a terminal, adds a newline, so that the prompt gets its own line.
    package static func writeSecret(_ bytes: RawSpan) throws(CommandError) {
        try write(bytes)
        if isOutputTerminal { try write("\n") }
    }

    package static func report(_ error: CommandError, by program: String = "skr") {
        tell("error", error, by: program)
    }

    /// Reports a problem that did not make the command fail.
    package static func warn(_ error: CommandError) {
        tell("warning", error, by: "skr")
    }

    /// Reports a problem that did not make the command fail, and that has no exit code.
    package static func warn(_ message: String, hint: String? = nil, by program: String = "skr") {
        tell("warning", CommandError(exitCode: .done, message: message, hint: hint), by: program)
    }

    /// Prints a line that is neither an answer nor an error, and a hint.
    package static func note(_ text: String, hint: String? = nil, by program: String = "skr") {
        writeError("\(program): \(Display.plain(text))\n" + hintLine(hint, by: program))
    }

    /// Prints the message, the hints and the detail, each on one line, whatever they contain.
    private static func tell(_ kind: String, _ error: CommandError, by program: String) {
        let colour: TextStyle.Colour = kind == "error" ? .red : .yellow
        var text = "\(program): \(errorStyle.paint("\(kind):", colour)) \(Display.plain(error.message))\n"
        text += hintLine(error.hint, by: program) + hintLine(error.secondHint, by: program)
        if let detail = error.detail { text += "\(program): detail: \(Display.plain(detail))\n" }
        writeError(text)
    }

    private static var errorStyle: TextStyle { .wanted(on: STDERR_FILENO) }

    private static func hintLine(_ hint: String?, by program: String) -> String {
        hint.map { "\(program): \(errorStyle.paint("hint:", .green)) \(Display.plain($0))\n" } ?? ""
    }

    /// Writes to standard error, ignoring failures: if it is closed, the exit code still reports the error.
    private static func writeError(_ text: String) {
        try? unsafe FileDescriptor.standardError.writeAll(text.utf8Span.span.bytes)
    }
}
