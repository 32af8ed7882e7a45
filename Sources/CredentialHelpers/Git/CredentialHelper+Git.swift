import Keyutils
import SecretText
public import SessionKeyring

/// git's protocol: gitcredentials(7), git-credential(1).
extension CredentialHelper {
    /// Answers `get`, `store`, `erase` and `capability`.
    ///
    /// If several users match, `get` returns the first one by name, unless the request names one. An absent item is not
    /// an error, nor is an unknown operation: git then asks the next helper.
    ///
    /// - Parameters:
    ///   - operation: the last word of the command line.
    ///   - request: standard input.
    /// - Throws: ``SecretStoreError``.
    public func git(_ operation: String, request: RawSpan) throws(SecretStoreError) -> HelperAnswer {
        switch operation {
        case "get": try get(GitRequest(parsing: request))
        case "store": try store(GitRequest(parsing: request))
        case "erase": try erase(GitRequest(parsing: request))
        case "capability": HelperAnswer(output: "version 0\ncapability authtype\ncapability state\n")
        default: .nothing
        }
    }

    private func get(_ request: GitRequest) throws(SecretStoreError) -> HelperAnswer {
        guard request.isText else { return .nothing }
        let found = try lookingAgain { look throws(SecretStoreError) -> HelperAnswer? in
            var renewable: (item: ItemIdentity, credential: CredentialRecord)?
            for item in try matches(request) {
                guard let credential = try look.credential(item), ItemOwner.git.has(item, credential) else { continue }
                if isOver(credential.expires) {
                    if renewable == nil, credential.refreshToken != nil { renewable = (item, credential) }
                } else if let answer = try answer(credential, of: item, to: request) {
                    return answer
                }
            }
            return try renewable.flatMap { found throws(SecretStoreError) in
                try answer(found.credential, of: found.item, to: request)
            }
        }
        return found ?? .nothing
    }

    /// Returns the answer; `nil` if this version of git can't use it, or if a value has a line break.
    ///
    /// A value with a line break would forge another line of the answer. After the secret's expiry, the answer has only
    /// the user and the refresh token, with which another helper gets the next secret.
    private func answer(
        _ credential: CredentialRecord, of item: ItemIdentity, to request: GitRequest
    ) throws(SecretStoreError) -> HelperAnswer? {
        guard credential.secret.isOneLine, item.account.isOneLine else { return nil }
        let type = credential.authenticationType
        let refreshToken = credential.refreshToken
        let state = request.capabilities.contains("state") ? credential.state : []
        let lines = [type ?? ""] + state
        guard type == nil || request.capabilities.contains("authtype"), refreshToken?.isOneLine ?? true,
            lines.allSatisfy(\.isOneLine)
        else { return nil }
        let isOver = isOver(credential.expires)
        // The end of a refresh token isn't the password's expiry.
        let hasEnd = refreshToken == nil || credential.expires != nil
        let end = try hasEnd ? end(of: item, holding: credential) : nil
        return HelperAnswer { text in
            if type == nil { text.append("username=\(item.account)\n") }
            if !isOver {
                text.append(type.map { "capability[]=authtype\nauthtype=\($0)\ncredential=" } ?? "password=")
                text.append(credential.secret)
                text.append("\n")
                if let end, end > now { text.append("password_expiry_utc=\(end)\n") }
            }
            if let refreshToken {
                text.append("oauth_refresh_token=")
                text.append(refreshToken)
                text.append("\n")
            }
            if !state.isEmpty { text.append("capability[]=state\n") }
            for entry in state { text.append("state[]=\(entry)\n") }
        }
    }

    private func store(_ request: GitRequest) throws(SecretStoreError) -> HelperAnswer {
        // Like git's own helpers, don't store a secret that could not be found again.
        guard request.isText, !request.isEphemeral, let service = request.origin?.service,
            let secret = request.secret, request.username != nil || request.authenticationType != nil
        else { return .nothing }
        if let end = request.expires, end <= now { return .nothing }
        let fields = request.fields
        guard fields.isEmpty || (secret.isText && fields.isText) else {
            return HelperAnswer(exitCode: 1, message: "the credential from git is not UTF-8, so it was not stored")
        }
        let account = request.username ?? ""
        // git stores what it got from a source, also without its expiry.
        let isMeant = { request.matches($0) && $0.account == account && ItemOwner.git.has($0, nil) }
        if isDeclared(isMeant) { return try dropStored(secret, service, account) }
        guard try store(secret, fields, service: service, account: account, of: .git) else {
            return HelperAnswer(
                exitCode: 1,
                message: "docker already has a record for this address and user: 'docker logout ADDRESS' removes it")
        }
        return .nothing
    }

    /// Deletes git's older secrets of an item, which would hide its source; warns if the new secret is different.
    private func dropStored(
        _ new: SecretBox, _ service: String, _ account: String
    ) throws(SecretStoreError) -> HelperAnswer {
        var isOther = false
        for kind in ItemIdentity.Kind.ofSecrets {
            let item = ItemIdentity(kind, service: service, account: account)
            guard let old = try credential(item), ItemOwner.git.has(item, old) else { continue }
            if old.secret.isEqual(to: new) { return .nothing }
            isOther = true
            if kind != .password { try items.delete(item, ifUnchanged: old.payload.bytes) }
        }
        return isOther ? .notStored(service, account) : .nothing
    }

    private func erase(_ request: GitRequest) throws(SecretStoreError) -> HelperAnswer {
        guard request.isText else { return .nothing }
        for item in try matches(request) {
            guard let present = try credential(item), ItemOwner.git.has(item, present) else { continue }
            // If another process has replaced the secret, the new one is not the secret that the server refused.
            if let refused = request.secret, !present.secret.isEqual(to: refused) { continue }
            try items.delete(item, ifUnchanged: present.payload.bytes)
        }
        return .nothing
    }

    /// Returns the items that match the request; those without a path come first.
    private func matches(_ request: GitRequest) throws(SecretStoreError) -> [ItemIdentity] {
        let found = try items.identities().secrets(where: request.matches)
        guard found.count > 1 else { return found }
        let isWhole = { (item: ItemIdentity) in Origin(item.service)?.path == nil }
        return found.filter(isWhole) + found.filter { !isWhole($0) }
    }
}

extension GitRequest {
    /// Returns whether an item has the request's scheme, host, path and user.
    ///
    /// A field that the request lacks matches every item. A request that lacks all four matches nothing.
    fileprivate func matches(_ item: ItemIdentity) -> Bool {
        guard scheme != nil || host != nil || path != nil || username != nil,
            (username ?? item.account) == item.account, let origin = Origin(item.service)
        else { return false }
        return (scheme ?? origin.scheme) == origin.scheme && (host ?? origin.host) == origin.host
            && (path ?? "" == "" || path == origin.path)
    }

    /// The origin that the request is for; `nil` if it does not name one.
    fileprivate var origin: Origin? {
        guard let scheme, host != nil || path != nil else { return nil }
        return Origin(scheme: scheme, host: host ?? "", path: path)
    }

    /// The password; if the request has an `authtype`, the credential for that scheme, such as a bearer token.
    fileprivate var secret: SecretBox? { authenticationType == nil ? password : credential }

    fileprivate var fields: CredentialFields {
        let isNamed = !(username ?? "").isEmpty && !ItemOwner.isRegistry(origin?.service ?? "")
        return CredentialFields(
            expires: expires, refreshToken: refreshToken, authenticationType: authenticationType,
            state: state, client: isNamed ? nil : ItemOwner.git.client)
    }
}
