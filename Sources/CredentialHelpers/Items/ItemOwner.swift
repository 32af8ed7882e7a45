import SessionKeyring

/// Whose an item is: git asks for a host, whatever its item's name, and docker hands all of its own to who builds.
enum ItemOwner {
    case git, docker
    /// Whoever asks for an item by its name.
    case others

    /// What a record says that is of one client, where its name does not tell; `nil` for ``others``.
    var client: String? {
        switch self {
        case .git: "git"
        case .docker: "docker"
        case .others: nil
        }
    }

    /// Whether the item is of these; none of the others sees it, replaces it or deletes it.
    ///
    /// A bare secret that has no account is a token of another client's than git and docker, for the same host maybe.
    ///
    /// - Parameter record: what it holds, which counts for the kind `credential` alone.
    func has(_ item: ItemIdentity, _ record: CredentialRecord?) -> Bool {
        if item.kind == .credential {
            guard let client = record?.client else { return self != .docker }
            // One that has a user is found by its name too, as git's bare ones are.
            return client == self.client || self == .others && client == Self.git.client && !item.account.isEmpty
        }
        let isDockers = item.kind == .internet && !item.account.isEmpty && Self.isRegistry(item.service)
        switch self {
        case .git: return !item.account.isEmpty && !isDockers
        case .docker: return isDockers
        case .others: return !isDockers
        }
    }

    /// Whether it is a registry's name, as docker tells it from an image's, or the URL of a registry's API.
    static func isRegistry(_ service: String) -> Bool {
        guard let origin = Origin(service) else {
            let host = service.utf8.prefix { $0 != UInt8(ascii: "/") }
            return host.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
                || host.elementsEqual("localhost".utf8)
        }
        guard let path = origin.path, ["http", "https"].contains(origin.scheme) else { return false }
        return ["v1", "v2", "v1/", "v2/"].contains(path)
    }
}

extension CredentialHelper {
    /// Whether a record of that name is another's, which a new one would replace.
    func isTaken(service: String, account: String, for owner: ItemOwner) throws(SecretStoreError) -> Bool {
        let item = ItemIdentity.credential(service: service, account: account)
        guard let record = try credential(item) else { return false }
        return !owner.has(item, record)
    }
}
