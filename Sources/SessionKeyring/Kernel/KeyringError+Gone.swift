import Keyutils

/// What an error says of the key that was touched, decided here alone.
extension KeyringError {
    /// Whether the key is not there or dead, for certain.
    var isKeyGone: Bool { code == .notFound || code == .expired || code == .revoked }

    /// Whether the key was gone, or going, when it was touched.
    ///
    /// A key that was just displaced or invalidated may also answer that it is no longer possessed. So may one that is there
    /// and not for us: who has to tell them apart looks once more.
    var isKeyGoneOrRefused: Bool { isKeyGone || code == .accessDenied }
}
