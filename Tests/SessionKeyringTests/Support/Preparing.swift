import Keyutils
import SessionKeyring
import TestSupport

extension SecretStore {
    /// Creates a store in a session that no other process has, in a process that was started for that purpose.
    ///
    /// - Parameters:
    ///   - user: the user to become before that; `nil` to stay the same user.
    ///   - item: an item to store.
    ///   - secret: its value.
    static func inNewSession(
        of user: UInt32? = nil, with item: ItemIdentity? = nil, _ secret: String = "old"
    ) throws -> SecretStore {
        if let user { OrdinaryUser.become(user) }
        try TestSession.join()
        let store = try SecretStore()
        if let item { try store.set(secret, for: item) }
        return store
    }

    /// Stores these items with a timeout of one second, and returns once all of them have expired.
    func storeExpired(_ items: [ItemIdentity]) throws {
        for item in items { try set("1", for: item, lasting: .seconds(1)) }
        struct StillThere: Error {}
        guard try becomesTrue(within: 2.1, { try items.allSatisfy { try !contains($0) } }) else { throw StillThere() }
    }
}

extension Keyring {
    /// Adds keys until the user's quota is full, including the quota that the kernel frees late.
    func fillQuota() throws(KeyringError) {
        var number = 0
        for _ in 0..<2 {
            for _ in 0..<10 { _ = GracePeriod.pass() }
            do throws(KeyringError) {
                while true {
                    try add(.user, "filler \(number)", payload: ([1] as [UInt8]).span.bytes)
                    number += 1
                }
            } catch {
                if error.code != .quotaExceeded { throw error }
            }
        }
    }
}
