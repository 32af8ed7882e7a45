import Keyutils
import SessionKeyring

extension SecretStore {
    /// Returns the time left of an item, or `nil` if it is missing, never expires, or its expiry is unknown.
    func timeLeft(of item: ItemIdentity) throws -> KeyTimeLeft? {
        guard case .after(let left)? = try attributes(of: item)?.expiry else { return nil }
        return left
    }
}

extension KeyTimeLeft {
    /// The time left, rounded up.
    var atMost: Duration { atLeast + precision }
}
