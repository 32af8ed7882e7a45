import Glibc

/// How wide the terminal is.
package enum TerminalWidth {
    /// How wide help may be: as the terminal is, else as COLUMNS says, else 80 columns.
    package static var ofHelp: Int {
        let said = unsafe getenv("COLUMNS").flatMap { unsafe Int(String(cString: $0)) }
        return max(20, of(STDOUT_FILENO) ?? said.flatMap { $0 > 0 ? $0 : nil } ?? 80)
    }

    /// In columns, as it is now; `nil` for what is no terminal, or does not know its width.
    package static func of(_ descriptor: CInt) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
