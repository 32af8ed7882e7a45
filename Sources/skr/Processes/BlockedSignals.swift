import CommandSupport
import Glibc

/// Blocks SIGCHLD and the signals that would end us, as long as there is something to release first.
///
/// A signal that is ignored stays so.
struct BlockedSignals {
    private static let forwarded = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

    private(set) var blocked = sigset_t()
    /// The mask from before, which a child gets.
    private(set) var before = sigset_t()

    init() {
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGCHLD)
        for number in Self.forwarded where !SignalAction.isIgnored(number) { unsafe sigaddset(&blocked, number) }
        unsafe sigprocmask(SIG_BLOCK, &blocked, &before)
    }

    /// Restores the mask, which delivers what has come meanwhile.
    func release() {
        var before = before
        unsafe sigprocmask(SIG_SETMASK, &before, nil)
    }
}
