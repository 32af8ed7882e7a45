import Glibc
import Keyutils

/// An ordinary user for a run that root starts: one that has no keys, and so the whole of its small quota.
package enum OrdinaryUser {
    /// User IDs that, by systemd's list of them, nobody assigns.
    private static let free: ClosedRange<uid_t> = 60_600...61_100

    /// Drops all privileges of this process for good, and joins a new session; nothing where it has none.
    ///
    /// Threads that run already keep what they have, so it comes before any other.
    package static func become() throws(StressError) {
        guard geteuid() == 0 else { return }
        guard let user = free.first(where: { (try? KeyQuota.current(ofUser: $0)) == nil }) else {
            throw StressError(.unavailable, "every spare user has keys", remedy: "run it as an ordinary user")
        }
        guard setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0, geteuid() == user else {
            throw StressError(
                .unavailable, "can't become user \(user): errno \(errno)", remedy: "run it as an ordinary user")
        }
        do throws(KeyringError) {
            try SessionMembership.joinAnonymous()
        } catch {
            throw StressError(error)
        }
    }
}
