public import SessionKeyring

/// What ansible-vault expects of a client script.
extension CredentialHelper {
    /// Answers with the secret of a vault id, and a newline.
    ///
    /// An item's service is the id. An unknown one has the exit status 2, by which ansible knows it.
    ///
    /// - Parameter id: what `--vault-id` says.
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
