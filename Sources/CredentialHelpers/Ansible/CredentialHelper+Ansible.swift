public import SessionKeyring

/// The protocol of ansible-vault's client scripts.
extension CredentialHelper {
    /// Answers with the secret of a vault id, followed by a newline.
    ///
    /// An item's service is the id. For an unknown id, the exit status is 2, which ansible recognises.
    ///
    /// - Parameter id: the argument of `--vault-id`.
    /// - Throws: ``SecretStoreError``.
    public func ansible(id: String) throws(SecretStoreError) -> HelperAnswer {
        guard let found = try credential(service: id, ofAny: nil) else {
            return .missing(.password(service: id), exitCode: 2)
        }
        return HelperAnswer { text in
            text.append(found.credential.secret)
            text.append("\n")
        }
    }
}
