import Keyutils
import SessionKeyring

extension ItemAttributes {
    /// The time left until the item expires, or `nil` if it never expires or its expiry is unknown.
    var timeLeft: KeyTimeLeft? { if case .after(let left) = expiry { left } else { nil } }
}

extension SecretStore {
    /// Returns the time left of an item, or `nil` if it is missing, never expires, or its expiry is unknown.
    func timeLeft(of item: ItemIdentity) throws -> KeyTimeLeft? { try attributes(of: item)?.timeLeft }
}

extension KeyTimeLeft {
    /// The time left, rounded up.
    var atMost: Duration { atLeast + precision }
}
