import Keyutils

/// What is about to become visible, but for the secret itself.
struct PendingWrite {
    let item: ItemIdentity
    let type: KeyType
    let timeout: KeyTimeout?

    /// The other type of key that an item may have.
    var otherType: KeyType { type == .user ? .bigKey : .user }
}
