import CredentialHelpers
import SessionKeyring

/// The names under which the clients' secrets are stored.
enum HelperItem {
    /// The host of git's and Python's secrets, and of docker's in some operations.
    static let host = "https://example.com"
    static let registry = "ghcr.io"
    static let index = "sparse+https://index.example.com/"

    static func all(_ kind: ItemIdentity.Kind) -> [ItemIdentity] {
        [(host, "alice"), (registry, "alice"), (index, "")].map { service, account in
            ItemIdentity(kind, service: service, account: account)
        }
    }
}

/// The items that the helpers' operations find.
enum HelperState: String, CaseIterable {
    case nothing
    /// Each secret as a client stores it, as plain bytes.
    case bare
    /// Each secret in an item of the kind `credential`.
    case record
    /// Both kinds, as a killed store leaves them.
    case both
    /// Each secret as `skr set` stores it.
    case password
    /// As `bare`, after git has stored in both kinds in turn.
    case alternated

    func make(in store: SecretStore) throws {
        switch self {
        case .nothing: return
        case .bare: try Self.storeBare(.internet, in: store)
        case .record: try Self.storeRecords(in: store)
        case .both:
            try Self.storeBare(.internet, in: store)
            try Self.storeRecords(in: store)
        case .password: try Self.storeBare(.password, in: store)
        case .alternated:
            try Self.storeBare(.internet, in: store)
            let helper = CredentialHelper(items: store)
            let requests =
                HelperOperation.gitAlternate.requests(as: .scene) + HelperOperation.gitStoreOld.requests(as: .scene)
            for request in requests { _ = try request(helper) }
        }
    }

    private static func storeBare(_ kind: ItemIdentity.Kind, in store: SecretStore) throws {
        for item in HelperItem.all(kind) { try store.set(Role.scene.secret, for: item) }
    }

    private static func storeRecords(in store: SecretStore) throws {
        for item in HelperItem.all(.credential) {
            let client = item.service == HelperItem.registry ? ",\"client\":\"docker\"" : ""
            let record = "{\"secret\":\"\(Role.scene.secret)\",\"refresh_token\":\"refresh\"\(client)}"
            try store.set(record, for: item)
        }
    }
}
