package import Glibc

/// What a signal does in this process.
package enum SignalAction {
    /// Whether the signal is ignored, as a shell has it for what it starts in the background.
    package static func isIgnored(_ number: CInt) -> Bool {
        var action = sigaction()
        unsafe sigaction(number, nil, &action)
        return ignores(action)
    }

    /// Has a write beyond `RLIMIT_FSIZE` fail instead of ending the process by SIGXFSZ; takes effect once.
    ///
    /// A handler, which a program that we become or start does not inherit; if the signal was ignored, it stays ignored.
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
