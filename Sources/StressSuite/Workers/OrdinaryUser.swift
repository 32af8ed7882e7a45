import Glibc
import Keyutils
import SystemPackage

/// An ordinary user for a run that root starts.
///
/// The user has no keys, so its whole small quota is free.
package enum OrdinaryUser {
    /// User IDs that nobody assigns, according to systemd's list of user IDs.
    private static let free: ClosedRange<uid_t> = 60_600...61_100

    /// Acts as an ordinary user in a new session until ``end()``; does nothing if the process does not run as root.
    ///
    /// The kernel charges keys to the effective user. The real user stays root, so that ``end()`` can change back.
    ///
    /// - Throws: ``StressError`` with `unavailable`.
    package static func begin() throws(StressError) {
        guard geteuid() == 0 else { return }
        // Runs that begin at the same time start their search at different users.
        let candidates = free.lazy.map { free.lowerBound + ($0 + uid_t(getpid())) % uid_t(free.count) }
        guard let user = candidates.first(where: { (try? KeyQuota.current(ofUser: $0)) == nil }) else {
            throw StressError(.unavailable, "all spare user IDs already have keys", hint: "run it as an ordinary user")
        }
        guard setegid(user) == 0, seteuid(user) == 0 else {
            throw StressError(
                .unavailable, "can't become user \(user): \(Errno(rawValue: errno))", hint: "run it as an ordinary user"
            )
        }
        _ = try StressError.translating { try SessionMembership.joinAnonymous() }
    }

    /// Acts as root again; does nothing if the process is not root's or acts as root already.
    package static func end() {
        guard getuid() == 0, geteuid() != 0 else { return }
        precondition(seteuid(0) == 0 && setegid(getgid()) == 0, "can't become root again: \(Errno(rawValue: errno))")
    }
}
