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

    /// Whether the kernel refuses to link the keyring to itself for another reason than that this would make a cycle.
    ///
    /// A restricted keyring does, and so does every keyring where a filter forbids to link.
    private var refusesItself: Bool {
        do throws(KeyringError) {
            try systemCall(.link) { keyctl_link(serial.rawValue, serial.rawValue) }
            return false
        } catch {
            return error.isRefusal
        }
    }
}

extension KeyringError {
    /// How a restriction refuses: one that admits nothing by `EPERM`, one for certificates `EOPNOTSUPP` to all else.
    fileprivate var isRefusal: Bool { code == .notPermitted || code == .unsupported }
}
