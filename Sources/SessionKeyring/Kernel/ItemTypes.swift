import Keyutils

/// The key types that an item can have.
///
/// Most items are `user` keys. A secret that is too large for a `user` key becomes a `big_key`, a type that few
/// kernels have.
enum ItemTypes {
    /// Whether this kernel has `big_key`.
    ///
    /// If the kernel can't be asked, it is too old for `big_key` or has no keyring at all.
    static let haveBigKeys = (try? KeyringCapabilities.query().contains(.bigKey)) ?? false

    /// The types that this kernel has, in the order in which a reader looks for them.
    static let all: [KeyType] = haveBigKeys ? [.user, .bigKey] : [.user]
}
