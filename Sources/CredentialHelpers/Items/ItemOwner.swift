import Keyutils
import SessionKeyring

/// The client to which an item belongs.
///
/// git asks for a host, whatever the item's name is, and docker passes all of its items to each build.
enum ItemOwner {
    case git, docker
    /// Clients that ask for an item by its name.
    case others

    /// The client's name in a record, for an item whose name does not show the owner; `nil` for ``others``.
    var client: String? {
        switch self {
        case .git: "git"
        case .docker: "docker"
        case .others: nil
        }
    }

    /// Returns whether clients of this owner see, replace and delete the item.
    ///
    /// A bare secret without an account is a token of a client other than git and docker, perhaps for the same host.
    ///
    /// - Parameter record: the item's contents, which matter only for the kind `credential`.
    func has(_ item: ItemIdentity, _ record: CredentialRecord?) -> Bool {
        if item.kind == .credential {
            guard let client = record?.client else { return self != .docker }
            // Clients also find git's records by name if they have an account, as they find git's bare passwords.
            return client == self.client || self == .others && client == Self.git.client && !item.account.isEmpty
        }
        let isDockers = item.kind == .internet && !item.account.isEmpty && Self.isRegistry(item.service)
        switch self {
        case .git: return !item.account.isEmpty && !isDockers
        case .docker: return isDockers
        case .others: return !isDockers
        }
    }

    /// Returns whether this is the name of a registry or the URL of a registry's API.
    ///
    /// To tell a registry's name from an image's, this uses docker's rule.
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
