extension Keyring {
    /// Returns whether the calling thread *possesses* this keyring: a chain of links from its keyrings leads to it.
    ///
    /// The method asks the kernel to look for the keyring's name in `@t`, `@p` and `@s`, in the same way in which the
    /// kernel determines possession. The kernel finds the first keyring of that name. Nothing is written. The session
    /// keyring is possessed by definition.
    ///
    /// Needs *view* permission on the keyring.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, or `notPermitted` or
    ///   `unavailable` if a filter hides the key facility.
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
