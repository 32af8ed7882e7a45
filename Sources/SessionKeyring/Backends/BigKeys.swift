import Keyutils

/// The `big_key` type, which few kernels are built with: for secrets that a `user` key can't hold.
enum BigKeys {
    /// Whether this kernel has them. One that can't be asked is too old, or has no keyring at all.
    static let areSupported = (try? KeyringCapabilities.query().contains(.bigKey)) ?? false
}
