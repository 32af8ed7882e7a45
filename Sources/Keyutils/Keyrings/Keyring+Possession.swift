extension Keyring {
    /// Whether the calling thread *possesses* this keyring: reaches it through a chain of its own keyrings.
    ///
    /// Asked of the kernel, which looks for the name in `@t`, `@p` and `@s` as it does for possession, and finds the
    /// first keyring of that name. Nothing is written. The session keyring is possessed by definition.
    ///
    /// Needs *view* permission on the keyring.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, or `notPermitted` or
    ///   `unavailable` where a filter hides the key facility.
    package func isPossessed() throws(KeyringError) -> Bool {
        if let session = try? Keyring.resolve(.sessionKeyring), session == self { return true }
        let name = try Key(self).describe().name
        do throws(KeyringError) {
            return try Key.request(.keyring, name).serial == serial
        } catch {
            switch error.code {
            case .notFound, .expired, .revoked, .accessDenied: return false
            default: throw error
            }
        }
    }
}
