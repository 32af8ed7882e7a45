import Keyutils
import SecretText
public import SessionKeyring

/// docker's protocol, docker-credential-helpers, which podman, skopeo, helm and others also use.
extension CredentialHelper {
    /// Answers `store`, `get`, `erase`, `list` and `version`.
    ///
    /// An item's service is docker's name for the server, and a server has one user. `get` also finds items that were
    /// set by hand. Errors go to standard output, with the exit status 1.
    ///
    /// `list` returns only the items that docker has stored, because docker passes all of them to each build. An item
    /// of the kind `internet` with an account is docker's if its service is a registry's name (`ghcr.io`,
    /// `localhost:5000`) or the URL of a registry's API (`https://index.docker.io/v1/`). Docker's items with other
    /// names are records that name docker as their client.
    ///
    /// - Parameters:
    ///   - operation: the last word of the command line.
    ///   - request: standard input.
    ///   - version: the version that `version` prints.
    /// - Throws: ``SecretStoreError``.
    public func docker(
        _ operation: String, request: RawSpan, version: String
    ) throws(SecretStoreError) -> HelperAnswer {
        switch operation {
        case "store": try dockerStore(request)
        case "get": try dockerGet(request)
        case "erase": try dockerErase(request)
        case "list": try dockerList()
        case "version": HelperAnswer(output: "docker-credential-skr (SessionKeyring) v\(version)\n")
        case "": Self.dockerError("no operation given: use store, get, erase, list or version")
        default: Self.dockerError("Unknown credential action `\(operation)`")
        }
    }

    /// Returns an error in the form that docker shows to its user.
    private static func dockerError(_ text: String) -> HelperAnswer {
        HelperAnswer(exitCode: 1, output: text + "\n")
    }

    private func dockerStore(_ request: RawSpan) throws(SecretStoreError) -> HelperAnswer {
        guard let server = Self.text("ServerURL", in: request)?.text,
            let user = Self.text("Username", in: request)?.text,
            let secret = Self.text("Secret", in: request)
        else { return Self.dockerError("the request must be {\"ServerURL\":...,\"Username\":...,\"Secret\":...}") }
        if server.isEmpty { return Self.noServer }
        if user.isEmpty { return Self.dockerError("no credentials username") }
        // 'docker login' also stores what it got from a source. docker's own items would hide the source.
        if isDeclared({ $0.service == server && $0.account == user }) {
            for item in try dockerItems(for: server) { try delete(item, of: .docker) }
            return .notStored(server, user)
        }
        let fields = CredentialFields(client: ItemOwner.isRegistry(server) ? nil : ItemOwner.docker.client)
        let isStored = try items.takingTurns(at: server) { () throws(SecretStoreError) -> Bool in
            var others: [(item: ItemIdentity, payload: SecretBox)] = []
            for item in try dockerItems(for: server) where item.account != user {
                if let payload = try items.get(item) { others.append((item, SecretBox(payload))) }
            }
            guard try replace(secret, fields, service: server, account: user, as: .internet, of: .docker) else {
                return false
            }
            for (other, before) in others { try items.delete(other, ifUnchanged: before.bytes) }
            return true
        }
        return isStored
            ? .nothing
            : Self.dockerError("git already has a record for this server and user: 'git credential reject' removes it")
    }

    private func dockerGet(_ request: RawSpan) throws(SecretStoreError) -> HelperAnswer {
        guard let server = Self.server(request) else { return Self.noServer }
        let answer = try lookingAgain { look throws(SecretStoreError) -> HelperAnswer? in
            // Use one list for both: an item that changes its kind between two lists would be in neither.
            let found = try items.identities().secrets { item in
                !item.account.isEmpty && item.service == server
                    && (item.kind != .internet || ItemOwner.docker.has(item, nil))
            }
            for item in found.filter({ $0.kind != .password }) + found.filter({ $0.kind == .password }) {
                guard let credential = try look.liveCredential(item),
                    item.kind == .password || ItemOwner.docker.has(item, credential),
                    let answer = Self.dockerAnswer(credential, of: item, for: server)
                else { continue }
                return answer
            }
            return nil
        }
        return answer ?? Self.dockerError("credentials not found in native keychain")
    }

    /// Returns the answer; `nil` for a credential that is not UTF-8.
    private static func dockerAnswer(
        _ credential: CredentialRecord, of item: ItemIdentity, for server: String
    ) -> HelperAnswer? {
        guard credential.secret.isText else { return nil }
        return HelperAnswer { text in
            text.append("{\"ServerURL\":", quoting: server)
            text.append(",\"Username\":", quoting: item.account)
            text.append(",\"Secret\":", quoting: credential.secret)
            text.append("}\n")
        }
    }

    private func dockerErase(_ request: RawSpan) throws(SecretStoreError) -> HelperAnswer {
        guard let server = Self.server(request) else { return Self.noServer }
        for item in try dockerItems(for: server) { try delete(item, of: .docker) }
        return .nothing
    }

    private func dockerList() throws(SecretStoreError) -> HelperAnswer {
        var servers: Set<Name> = []
        let listed = try dockerItems(for: nil).filter { servers.insert(Name($0.service)).inserted }
        return HelperAnswer { text in
            text.append("{")
            for (position, item) in listed.enumerated() {
                if position > 0 { text.append(",") }
                text.appendJSON(name: item.service)
                text.appendJSON(item.account)
            }
            text.append("}\n")
        }
    }

    /// Returns the items that docker has stored, for this server or for all.
    private func dockerItems(for server: String?) throws(SecretStoreError) -> [ItemIdentity] {
        var found: [ItemIdentity] = []
        _ = try lookingAgain { look throws(SecretStoreError) -> Bool? in
            found = try items.identities().secrets { item in
                guard !item.account.isEmpty, server.map({ item.service == $0 }) ?? true else {
                    return false
                }
                return item.kind == .credential || ItemOwner.docker.has(item, nil)
            }
            for item in found where item.kind == .credential {
                if !ItemOwner.docker.has(item, try look.credential(item)) { found.removeAll { $0 == item } }
            }
            // An item of another account can have replaced a missed one, so look again.
            return look.hasMissed ? nil : true
        }
        return found
    }

    private static var noServer: HelperAnswer { dockerError("no credentials server URL") }

    /// Returns the request without the white space around it; `nil` if nothing else is in it.
    private static func server(_ request: RawSpan) -> String? {
        var (start, end) = (0, request.byteCount)
        while start < end, request[start].isWhiteSpace { start += 1 }
        while start < end, request[end - 1].isWhiteSpace { end -= 1 }
        let text = String(validating: request.extracting(start..<end))
        return text?.isEmpty ?? true ? nil : text
    }

    private static func text(_ field: String, in request: RawSpan) -> SecretBox? {
        JSONField.text(of: JSONPath(field), in: request)
    }
}
