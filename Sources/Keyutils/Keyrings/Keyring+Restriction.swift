import CKeyutils

extension Keyring {
    /// Runs a call that links a key into this keyring; an error names the keyring if it is restricted.
    ///
    /// The call can also be refused by a filter. If the thread keyring refuses links too, a filter is the cause.
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

    /// Returns whether the keyring refuses all further keyrings, as it does after ``restrict(type:restriction:)``.
    ///
    /// Nothing is written. Needs *write* permission on the keyring.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`. If a filter refuses the call
    ///   with `EPERM`, this is not an error: the keyring seems to be restricted.
    package func isRestricted() throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            // An unrestricted keyring refuses a link to itself as a cycle. A restricted one refuses every link.
            try systemCall(.link) { keyctl_link(serial.rawValue, serial.rawValue) }
            return false
        } catch {
            guard error.code == .keyringCycle || error.isRefusal else { throw error }
            return error.isRefusal
        }
    }

    /// Whether the kernel refuses to link the keyring to itself for a reason other than the cycle.
    ///
    /// This is true for a restricted keyring, and for every keyring if a filter forbids links.
    private var refusesItself: Bool { (try? isRestricted()) ?? false }
}

extension KeyringError {
    /// Whether a restriction can be the cause.
    ///
    /// A restriction that admits nothing refuses with `EPERM`. One for certificates refuses everything
    /// else with `EOPNOTSUPP`.
    fileprivate var isRefusal: Bool { code == .notPermitted || code == .unsupported }
}
