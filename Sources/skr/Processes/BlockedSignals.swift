import Glibc

/// The signals that would end us, held back while there is something to give back first, and the one of ended children.
///
/// Those that we were told to ignore stay ignored.
struct BlockedSignals {
    private static let passedOn = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

    private(set) var held = sigset_t()
    /// What was blocked before, as it is to be in a child.
    private(set) var before = sigset_t()

    init() {
        unsafe sigemptyset(&held)
        unsafe sigaddset(&held, SIGCHLD)
        for number in Self.passedOn where !Self.isIgnored(number) { unsafe sigaddset(&held, number) }
        unsafe sigprocmask(SIG_BLOCK, &held, &before)
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
