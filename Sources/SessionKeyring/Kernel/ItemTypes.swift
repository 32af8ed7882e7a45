import Keyutils

/// The key types that an item may have: `user`, and where few kernels have it, `big_key` for what a `user` key can't hold.
enum ItemTypes {
    /// Whether this kernel has `big_key`.
    ///
    /// One that can't be asked is too old for it, or has no keyring at all.
    static let haveBigKeys = (try? KeyringCapabilities.query().contains(.bigKey)) ?? false

    /// The types that this kernel has, in the order in which a reader looks.
    static let all: [KeyType] = haveBigKeys ? [.user, .bigKey] : [.user]
}
