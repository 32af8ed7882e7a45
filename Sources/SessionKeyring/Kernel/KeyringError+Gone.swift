import Keyutils

/// What an error says of the key that was touched, or of the name that was looked for: decided here alone.
extension KeyringError {
    /// Whether it is there no more, or keeps its name, dead, until the kernel collects it.
    var isKeyGone: Bool { code == .notFound || isKeyDead }

    /// Whether it keeps its name, expired or revoked, until the kernel collects it.
    var isKeyDead: Bool { code == .expired || code == .revoked }

    /// Whether the key was gone, or going, when it was touched.
    ///
    /// A key that was just displaced or invalidated may also answer that it is no longer possessed. So may one that is there
    /// and not for us: who has to tell them apart looks once more.
    var isKeyGoneOrRefused: Bool { isKeyGone || code == .accessDenied }
}
