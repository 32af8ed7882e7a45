import Glibc

/// How wide the terminal is.
package enum TerminalWidth {
    /// In columns, as it is now; `nil` for what is no terminal, or does not know its width.
    package static func of(_ descriptor: CInt) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
