import Keyutils
public import SessionKeyring

/// What pip, uv and others expect of the program `keyring`.
extension CredentialHelper {
    /// Answers `keyring get`.
    ///
    /// pip asks for the URL of an index. Where nothing has that name, it is what is stored for the URL's origin that is meant.
    /// What is not found is silent, with the exit status 1: pip asks for several names.
    ///
    /// - Parameter user: the account; `nil` for the item that has none, else the first by name.
    /// - Throws: ``SecretStoreError``.
    public func keyringGet(
        service: String, user: String?, form: KeyringForm
    ) throws(SecretStoreError) -> HelperAnswer {
        let origin = Origin(service).flatMap { Origin(scheme: $0.scheme, host: $0.host, path: nil) }?.service
        for name in [service, origin] {
            guard let name, let found = try credential(service: name, ofAny: user) else { continue }
            return Self.keyringAnswer(found.account, found.credential.secret, form)
        }
        return HelperAnswer(exitCode: 1)
    }

    /// Answers `keyring set`.
    ///
    /// What is no address, as Python's programs name their services, or a registry's, is of the kind `password`: docker hands out
    /// all of the kind `internet` that is called like a registry.
    ///
    /// - Parameter password: standard input, of which one newline at the end is dropped.
    /// - Throws: ``SecretStoreError``.
    public func keyringSet(
        service: String, user: String, password: RawSpan
    ) throws(SecretStoreError) -> HelperAnswer {
        try store(
            SecretBox(copying: password.extracting(first: password.countWithoutNewline)), CredentialFields(),
            service: service, account: user,
            as: Origin(service) == nil || ItemOwner.isRegistry(service) ? .password : .internet)
        return .nothing
    }

    /// Answers `keyring del`; the exit status is 1 where there was nothing.
    ///
    /// - Throws: ``SecretStoreError``.
    public func keyringDelete(service: String, user: String) throws(SecretStoreError) -> HelperAnswer {
        HelperAnswer(exitCode: try delete(service: service, account: user) ? 0 : 1)
    }

    private static func keyringAnswer(_ user: String, _ password: SecretBox, _ form: KeyringForm) -> HelperAnswer {
        if form.isJSON, !password.isText {
            return HelperAnswer(exitCode: 1, message: "the password is not UTF-8, which JSON can't hold")
        }
        if form == .credentials, !user.isOneLine || !password.isOneLine {
            return HelperAnswer(exitCode: 1, message: "the user or the password has more than one line")
        }
        return HelperAnswer { text in
            switch form {
            case .password, .credentials:
                if form.hasUser { text.append("\(user)\n") }
                text.append(password)
                text.append("\n")
            case .passwordJSON, .credentialsJSON:
                text.append("{")
                if form.hasUser {
                    text.append("\"username\":")
                    text.appendJSON(user)
                    text.append(",")
                }
                text.append("\"password\":")
                text.appendJSON(password)
                text.append("}\n")
            }
        }
    }
}
