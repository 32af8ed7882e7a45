import Glibc

/// The width of the terminal.
package enum TerminalWidth {
    /// The width of help: that of the terminal, otherwise the value of COLUMNS, otherwise 80; at least 20 columns.
    package static var ofHelp: Int {
        let said = unsafe getenv("COLUMNS").flatMap { unsafe Int(String(cString: $0)) }
        return max(20, of(STDOUT_FILENO) ?? said.flatMap { $0 > 0 ? $0 : nil } ?? 80)
    }

    /// Returns the current width in columns; `nil` if this isn't a terminal, or the terminal's width is unknown.
    package static func of(_ descriptor: CInt) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
