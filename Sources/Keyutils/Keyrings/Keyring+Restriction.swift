import CKeyutils

extension Keyring {
    /// Runs what links a key into this keyring, and says of a refusal whether it is the keyring that takes none.
    func linking<Result>(_ link: () throws(KeyringError) -> Result) throws(KeyringError) -> Result {
        do throws(KeyringError) {
            return try link()
        } catch {
            guard error.isRefusal, refusesItself, !Keyring.thread.refusesItself else { throw error }
            var told = error
            told.restrictedKeyring = ((try? Keyring.resolve(serial)) ?? self).serial
            throw told
        }
    }

    /// Whether the keyring takes no further keyring, as one that ``restrict(type:restriction:)`` was called on.
    ///
    /// Nothing is written. Needs *write* permission on the keyring.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`. Where a filter hides the key
    ///   facility it answers as if it were restricted.
    package func isRestricted() throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            // An open keyring refuses itself as a cycle, a restricted one refuses everything.
            try systemCall(.link) { keyctl_link(serial.rawValue, serial.rawValue) }
            return false
        } catch {
            guard error.code == .keyringCycle || error.isRefusal else { throw error }
            return error.isRefusal
        }
    }

    /// Whether the kernel refuses to link the keyring to itself for another reason than that this would make a cycle.
    ///
    /// A restricted keyring does, and so does every keyring where a filter forbids to link.
    private var refusesItself: Bool { (try? isRestricted()) ?? false }
}

extension KeyringError {
    /// How a restriction refuses: one that admits nothing by `EPERM`, one for certificates `EOPNOTSUPP` to all else.
    fileprivate var isRefusal: Bool { code == .notPermitted || code == .unsupported }
}
