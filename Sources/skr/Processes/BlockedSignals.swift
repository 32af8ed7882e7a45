import Glibc

/// The signals that would end us, blocked while there is something to release first, and the one of ended children.
///
/// Those that we were told to ignore stay ignored.
struct BlockedSignals {
    private static let forwarded = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

    private(set) var blocked = sigset_t()
    /// What was blocked before, as it is to be in a child.
    private(set) var before = sigset_t()

    init() {
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGCHLD)
        for number in Self.forwarded where !Self.isIgnored(number) { unsafe sigaddset(&blocked, number) }
        unsafe sigprocmask(SIG_BLOCK, &blocked, &before)
    }

    /// Lets through what has come meanwhile.
    func release() {
        var before = before
        unsafe sigprocmask(SIG_SETMASK, &before, nil)
    }

    private static func isIgnored(_ number: CInt) -> Bool {
        var action = sigaction()
        unsafe sigaction(number, nil, &action)
        return isIgnoring(action)
    }

    static func isIgnoring(_ action: sigaction) -> Bool {
        // The handler can't be compared as the function that it is not.
        let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return unsafe handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
