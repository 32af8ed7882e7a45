import CredentialHelpers
import Keyutils
import SecretText
import SessionKeyring

/// One request of a client, which returns the answer as the client sees it.
typealias HelperRequest = @Sendable (CredentialHelper) throws(SecretStoreError) -> String

/// Requests that a process makes of a credential helper.
enum HelperOperation: String, CaseIterable {
    case gitGet = "git-get"
    case gitStore = "git-store"
    /// Stores a password with a refresh token, so that it becomes a record.
    case gitStoreRecord = "git-store-record"
    /// Stores the password that is stored already.
    case gitStoreOld = "git-store-old"
    /// Stores without a refresh token and with one, so that two processes together make four stores.
    case gitStoreBoth = "git-store-both"
    /// Stores in both kinds in turn, so that something is stored at every moment.
    case gitAlternate = "git-alternate"
    case gitErase = "git-erase"
    /// Erases the old password, but never another one that was stored in the meantime.
    case gitEraseOld = "git-erase-old"
    case keyringGet = "keyring-get"
    case keyringSet = "keyring-set"
    case keyringDelete = "keyring-del"
    /// Logs in to git's host, so that docker has a record next to git's items.
    case dockerStoreHost = "docker-store-host"
    case dockerGetHost = "docker-get-host"
    case dockerGet = "docker-get"
    case dockerList = "docker-list"
    /// Logs in as a user that no other process uses.
    case dockerStore = "docker-store"
    /// Logs in as the user whose password is stored.
    case dockerStoreSame = "docker-store-same"
    case dockerErase = "docker-erase"
    case cargoGet = "cargo-get"
    case cargoLogin = "cargo-login"
    case cargoLogout = "cargo-logout"
    /// The old defect, put back: it compares the password, and then deletes whatever is stored by then.
    case blindErase = "git-blind-erase"

    /// The operations of the helpers.
    ///
    /// The others are defects, put back to check that the search finds them.
    static let library = allCases.filter { $0 != .blindErase }

    /// The service under which the operation looks; only operations of one service share an item.
    var service: String {
        switch self {
        case .dockerGet, .dockerList, .dockerStore, .dockerStoreSame, .dockerErase: HelperItem.registry
        case .cargoGet, .cargoLogin, .cargoLogout: HelperItem.index
        default: HelperItem.host
        }
    }

    var isReader: Bool {
        [.gitGet, .keyringGet, .dockerGet, .dockerGetHost, .dockerList, .cargoGet].contains(self)
    }

    var isEraser: Bool {
        [.gitErase, .gitEraseOld, .blindErase, .keyringDelete, .dockerErase, .cargoLogout].contains(self)
    }

    /// Returns at most ``HelperReport/most`` requests.
    ///
    /// - Parameter secret: the secret to store; `nil` for the secret of the role.
    func requests(as role: Role, storing secret: String? = nil) -> [HelperRequest] {
        let (old, new) = (Role.scene.secret, secret ?? role.secret)
        let bare = gitStore(new)
        let record = gitStore(new + "-record", refreshToken: "refresh-\(new)")
        switch self {
        case .gitGet: return [git("get", "")]
        case .gitStore: return [bare]
        case .gitStoreRecord: return [record]
        case .gitStoreOld: return [gitStore(old)]
        case .gitStoreBoth: return [bare, record]
        case .gitAlternate: return [record, bare, record]
        case .gitErase: return [git("erase", "username=alice\n")]
        case .gitEraseOld: return [git("erase", "username=alice\npassword=\(old)\n")]
        case .blindErase: return [Defects.erase(old)]
        case .keyringGet: return [keyringGet()]
        case .keyringSet: return [keyringSet(new)]
        case .keyringDelete: return [keyringDelete()]
        case .dockerGet, .dockerGetHost: return [docker("get", service)]
        case .dockerList: return [docker("list", "")]
        case .dockerStore: return [dockerStore(role.user, new)]
        case .dockerStoreSame, .dockerStoreHost: return [dockerStore("alice", new)]
        case .dockerErase: return [docker("erase", service)]
        case .cargoGet: return [cargo("\"kind\":\"get\",\"operation\":\"read\"")]
        case .cargoLogin: return [cargo("\"kind\":\"login\",\"token\":\"\(new)\"")]
        case .cargoLogout: return [cargo("\"kind\":\"logout\"")]
        }
    }

    private func git(_ operation: String, _ lines: String) -> HelperRequest {
        { (helper) throws(SecretStoreError) in
            let bytes = Array("protocol=https\nhost=example.com\n\(lines)".utf8)
            return try helper.git(operation, request: bytes.span.bytes).text
        }
    }

    private func gitStore(_ password: String, refreshToken: String? = nil) -> HelperRequest {
        let token = refreshToken.map { "oauth_refresh_token=\($0)\n" } ?? ""
        return git("store", "username=alice\npassword=\(password)\n\(token)")
    }

    private func keyringGet() -> HelperRequest {
        { (helper) throws(SecretStoreError) in
            try helper.keyringGet(service: HelperItem.host, user: "alice", form: .password).text
        }
    }

    private func keyringSet(_ password: String) -> HelperRequest {
        { (helper) throws(SecretStoreError) in
            let bytes = Array(password.utf8)
            return try helper.keyringSet(service: HelperItem.host, user: "alice", password: bytes.span.bytes).text
        }
    }

    private func keyringDelete() -> HelperRequest {
        { (helper) throws(SecretStoreError) in
            try helper.keyringDelete(service: HelperItem.host, user: "alice").text
        }
    }

    private func docker(_ operation: String, _ request: String) -> HelperRequest {
        { (helper) throws(SecretStoreError) in
            let bytes = Array(request.utf8)
            return try helper.docker(operation, request: bytes.span.bytes, version: "0").text
        }
    }

    private func dockerStore(_ user: String, _ secret: String) -> HelperRequest {
        docker("store", "{\"ServerURL\":\"\(service)\",\"Username\":\"\(user)\",\"Secret\":\"\(secret)\"}")
    }

    private func cargo(_ members: String) -> HelperRequest {
        { (helper) throws(SecretStoreError) in
            let bytes = Array("{\"v\":1,\"registry\":{\"index-url\":\"\(HelperItem.index)\"},\(members)}".utf8)
            return try helper.cargo(bytes.span.bytes).text
        }
    }
}

extension HelperAnswer {
    /// The exit status, the output in one line, and the message.
    fileprivate var text: String {
        let output = output.withBytes { String(lossy: $0) }
        return "\(exitCode): \(output.replacing("\n", with: ";"))" + (message.map { " \($0)" } ?? "")
    }
}

extension Role {
    /// The password that the role stores.
    var secret: String {
        switch self {
        case .scene: "old"
        case .first: "one"
        case .second: "two"
        case .third: "three"
        }
    }

    /// The user that the role logs in to docker.
    fileprivate var user: String {
        switch self {
        case .scene: "alice"
        case .first: "bob"
        case .second: "carol"
        case .third: "dave"
        }
    }
}

extension Defects {
    /// Compares the item and then deletes it by name, and so may delete a value that was stored in between.
    fileprivate static func erase(_ password: String) -> HelperRequest {
        { (helper) throws(SecretStoreError) in
            let item = ItemIdentity.internet(server: HelperItem.host, account: "alice")
            if let present = try helper.items.get(item), present.isEqual(to: SecretBytes(utf8: password)) {
                try helper.items.delete(item)
            }
            return "0: "
        }
    }
}
