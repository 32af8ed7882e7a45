import Glibc
import Keyutils

/// Users without keys, one for each scene in turn.
///
/// So no scene waits for the previous scene's quota, which the kernel gives back late. Without root, there is only the
/// process's own user.
struct SpareUsers {
    /// A user, the number of keys it had before the search, and the last interleaving that has used it.
    private struct User {
        let id: uid_t?
        let keys: Int
        var last: String?
    }

    /// Systemd's list of user ids assigns these to nobody.
    private static let first: uid_t = 1_900_000_000
    private static let count = 48
    private var users: [User]
    private var place = 0

    init(lane: Int) {
        let ids = (0..<Self.count).map { Self.first + uid_t(lane * Self.count + $0) }
        users =
            geteuid() == 0
            ? ids.map { User(id: $0, keys: Self.keys(of: $0)) } : [User(id: nil, keys: Self.keys(of: geteuid()))]
    }

    /// Returns the next user once the keys of its last scene are gone, or a problem if they stay.
    mutating func next(for interleaving: Interleaving) -> (id: uid_t?, problem: String?) {
        place = (place + 1) % users.count
        let problem = problem(of: users[place])
        users[place].last = interleaving.name
        return (users[place].id, problem)
    }

    /// Waits until the keys of all scenes are gone, and returns a problem for each scene whose keys stay.
    func settle() -> [String] { users.compactMap(problem) }

    private func problem(of user: User) -> String? {
        guard let last = user.last else { return nil }
        for _ in 0..<1_000 {
            if Self.keys(of: user.id ?? geteuid()) <= user.keys { return nil }
            usleep(5_000)
        }
        return "\(last): \(Self.keys(of: user.id ?? geteuid()) - user.keys) keys are still charged after it"
    }

    private static func keys(of user: uid_t) -> Int { (try? KeyQuota.current(ofUser: user).keys) ?? 0 }
}
