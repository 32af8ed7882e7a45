import CommandSupport
import Glibc

/// Blocks SIGCHLD and the signals that would end us while we still have something to release.
///
/// A signal that is ignored stays ignored.
struct BlockedSignals {
    private static let forwarded = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

    private(set) var blocked = sigset_t()
    /// The previous mask, which a child gets.
    private(set) var before = sigset_t()

    init() {
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGCHLD)
        for number in Self.forwarded where !SignalAction.isIgnored(number) { unsafe sigaddset(&blocked, number) }
        unsafe sigprocmask(SIG_BLOCK, &blocked, &before)
    }

    /// Restores the previous mask, which delivers the signals that have arrived in the meantime.
    func release() {
        var before = before
        unsafe sigprocmask(SIG_SETMASK, &before, nil)
    }
}
