package import Glibc

/// The actions of signals in this process.
package enum SignalAction {
    /// Returns whether the signal is ignored; a shell can start a background command with ignored signals.
    package static func isIgnored(_ number: CInt) -> Bool {
        var action = sigaction()
        unsafe sigaction(number, nil, &action)
        return ignores(action)
    }

    /// Makes a write beyond `RLIMIT_FSIZE` fail instead of ending the process by SIGXFSZ; takes effect once.
    ///
    /// It installs a handler, which a program that we execute or start does not inherit. If the signal was
    /// ignored, it stays ignored.
    static let surviveFileSizeLimit: Void = {
        var (action, before) = (sigaction(), sigaction())
        unsafe action.__sigaction_handler.sa_handler = { _ in }
        unsafe sigaction(SIGXFSZ, &action, &before)
        if ignores(before) { unsafe sigaction(SIGXFSZ, &before, nil) }
    }()

    package static func ignores(_ action: sigaction) -> Bool {
        // SIG_IGN is a number, not a function, so only the bits can be compared.
        let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return unsafe handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
