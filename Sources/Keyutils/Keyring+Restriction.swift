extension Keyring {
    /// Whether the keyring takes no further keyring, as one that ``restrict(type:restriction:)`` was called on.
    ///
    /// Tried by putting it into itself: an open keyring refuses that as a cycle, a restricted one refuses everything. Nothing
    /// is written.
    ///
    /// Needs *write* permission on the keyring.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`. Where a filter hides the key
    ///   facility it answers as if it were restricted.
    package func isRestricted() throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            try link(Key(self))
            return false
        } catch {
            switch error.code {
            case .keyringCycle: return false
            case .notPermitted: return true
            default: throw error
            }
        }
    }
}
