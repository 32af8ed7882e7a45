import Glibc
import Keyutils
import SystemPackage

/// An ordinary user for a run that root starts: one that has no keys, and so the whole of its small quota.
package enum OrdinaryUser {
    /// User IDs that no one assigns, according to systemd's list of them.
    private static let free: ClosedRange<uid_t> = 60_600...61_100

    /// Acts as one, in a new session, until ``end()``; nothing where this process is no root's.
    ///
    /// The effective user is what the kernel charges for keys; the real one stays, so that there is a way back.
    ///
    /// - Throws: ``StressError`` with `unavailable`.
    package static func begin() throws(StressError) {
        guard geteuid() == 0 else { return }
        // Runs that begin at once start their search at different ones.
        let candidates = free.lazy.map { free.lowerBound + ($0 + uid_t(getpid())) % uid_t(free.count) }
        guard let user = candidates.first(where: { (try? KeyQuota.current(ofUser: $0)) == nil }) else {
            throw StressError(.unavailable, "every spare user has keys", hint: "run it as an ordinary user")
        }
        guard setegid(user) == 0, seteuid(user) == 0 else {
            throw StressError(
                .unavailable, "can't become user \(user): \(Errno(rawValue: errno))", hint: "run it as an ordinary user"
            )
        }
        _ = try StressError.translating { try SessionMembership.joinAnonymous() }
    }

    /// Acts as root again; nothing where this process has not been.
    package static func end() {
        guard getuid() == 0, geteuid() != 0 else { return }
        precondition(seteuid(0) == 0 && setegid(getgid()) == 0, "the way back is closed: \(Errno(rawValue: errno))")
    }
}
