import Keyutils
import SecretText
public import SessionKeyring

/// The protocol of the program `keyring`, which pip, uv and others run.
extension CredentialHelper {
    /// Answers `keyring get`.
    ///
    /// pip asks for the URL of an index, from 23.2 on with a trailing slash. With and without the slash, it is the same
    /// service. If no item has that name, the answer is the secret of the URL's origin. If that is also absent, the
    /// exit status is 1 without a message, because pip asks for several names.
    ///
    /// - Parameter user: the account; `nil` for the item without an account or, if it is absent, the first one by name.
    /// - Throws: ``SecretStoreError``.
    public func keyringGet(
        service: String, user: String?, form: KeyringForm
    ) throws(SecretStoreError) -> HelperAnswer {
        let origin = Origin(service).flatMap { Origin(scheme: $0.scheme, host: $0.host, path: nil) }?.service
        for name in [service, Self.otherSpelling(of: service), origin] {
            guard let name, let found = try credential(service: name, ofAny: user) else { continue }
            return Self.keyringAnswer(found.account, found.credential.secret, form)
        }
        return HelperAnswer(exitCode: 1)
    }

    /// Answers `keyring set`.
    ///
    /// An item of the kind `internet` with a registry's name belongs to docker, which passes it to each build. So a
    /// service with a registry's name becomes an item of the kind `password`. The same is true for a service that is
    /// not an address, as Python programs name theirs.
    ///
    /// - Parameter password: standard input; one newline at its end is dropped.
    /// - Throws: ``SecretStoreError``.
    public func keyringSet(
        service: String, user: String, password: RawSpan
    ) throws(SecretStoreError) -> HelperAnswer {
        let secret = SecretBox(copying: password.extracting(first: password.countWithoutNewline))
        var names = [service]
        // Never delete one spelling: two processes that set both at the same time would each delete the other's item.
        if let other = Self.otherSpelling(of: service), try credential(service: other, account: user) != nil {
            names = try credential(service: service, account: user) == nil ? [other] : [service, other]
        }
        for name in names {
            try store(
                secret, CredentialFields(), service: name, account: user,
                as: Origin(name) == nil || ItemOwner.isRegistry(name) ? .password : .internet)
        }
        return .nothing
    }

    /// Answers `keyring del`; the exit status is 1 if there was nothing to delete.
    ///
    /// - Throws: ``SecretStoreError``.
    public func keyringDelete(service: String, user: String) throws(SecretStoreError) -> HelperAnswer {
        var isDeleted = try delete(service: service, account: user)
        if let other = Self.otherSpelling(of: service), try delete(service: other, account: user) { isDeleted = true }
        return HelperAnswer(exitCode: isDeleted ? 0 : 1)
    }

    /// Returns an address without its trailing slash, or with an added one; `nil` for a name that isn't an address.
    private static func otherSpelling(of service: String) -> String? {
        let hasSlash = service.utf8.last == UInt8(ascii: "/")
        let other = hasSlash ? String(Substring(service.utf8.dropLast())) : service + "/"
        return Origin(service) == nil || Origin(other) == nil ? nil : other
    }

    private static func keyringAnswer(_ user: String, _ password: SecretBox, _ form: KeyringForm) -> HelperAnswer {
        if form.isJSON, !password.isText {
            return HelperAnswer(exitCode: 1, message: "the password is not UTF-8, so JSON can't hold it")
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
                    text.append("\"username\":", quoting: user)
                    text.append(",")
                }
                text.append("\"password\":", quoting: password)
                text.append("}\n")
            }
        }
    }
}
