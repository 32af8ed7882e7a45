import Keyutils
import SecretText
public import SessionKeyring

/// What pip, uv and others expect of the program `keyring`.
extension CredentialHelper {
    /// Answers `keyring get`.
    ///
    /// pip asks for the URL of an index, from 23.2 on with a final slash. With and without it is the same service. If nothing
    /// has that name, the answer is the secret of the URL's origin. A miss is silent, with the exit status 1: pip asks for
    /// several names.
    ///
    /// - Parameter user: the account; `nil` for the item that has none, else the first by name.
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
    /// What is no address, as Python's programs name their services, or a registry's, is of the kind `password`: docker hands out
    /// all of the kind `internet` that is called like a registry.
    ///
    /// - Parameter password: standard input, of which one newline at the end is dropped.
    /// - Throws: ``SecretStoreError``.
    public func keyringSet(
        service: String, user: String, password: RawSpan
    ) throws(SecretStoreError) -> HelperAnswer {
        let secret = SecretBox(copying: password.extracting(first: password.countWithoutNewline))
        var names = [service]
        // Never a delete: of two that set both spellings at the same time, each would remove the other's.
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

    /// Answers `keyring del`; the exit status is 1 where there was nothing.
    ///
    /// - Throws: ``SecretStoreError``.
    public func keyringDelete(service: String, user: String) throws(SecretStoreError) -> HelperAnswer {
        var isDeleted = try delete(service: service, account: user)
        if let other = Self.otherSpelling(of: service), try delete(service: other, account: user) { isDeleted = true }
        return HelperAnswer(exitCode: isDeleted ? 0 : 1)
    }

    /// An address without its final slash, or with an added one; `nil` for a name that isn't an address.
    private static func otherSpelling(of service: String) -> String? {
        let hasSlash = service.utf8.last == UInt8(ascii: "/")
        let other = hasSlash ? String(Substring(service.utf8.dropLast())) : service + "/"
        return Origin(service) == nil || Origin(other) == nil ? nil : other
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
