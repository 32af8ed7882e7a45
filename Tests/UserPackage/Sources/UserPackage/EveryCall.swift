// Makes every public call, with one import.
import SessionKeyring

private let token = ItemIdentity.password(service: "api", account: "alice")

private struct Login: Codable {
    let user: String
    let groups: [String]
}

private struct Model {
    let text: String
}

private struct ModelMirror: SecretMirror {
    let text: String
    init(mirroring model: Model) { text = model.text }
    func restore() -> Model { Model(text: text) }
}

func callAll(_ store: SecretStore) async throws {
    try await callAllInTasks(store)
    try callAllBlocking(store)
}

private func callAllBlocking(_ store: SecretStore) throws {
    try setAndGet(store)
    try items(store)
    try slots(store)
    try credentials(store)
    try updates(store)
    try fetches(store)
    try leases(store)
    errors(SecretStoreError(.tooLarge(size: 2, limit: 1), item: token))
    try scopes()
}

private func setAndGet(_ store: SecretStore) throws {
    try store.set("s3cret", for: token, timeout: .seconds(8 * 3600))
    let again = try store.get(token, as: String.self)
    precondition(again == "s3cret")
    try store.set(Login(user: "alice", groups: ["ops"]), for: token)
    let login: Login? = try store.get(token)
    precondition(login?.groups == ["ops"])
    try store.set(SecretBytes(utf8: "bytes"), for: token)
    let length = try store.withBytes(of: token) { bytes in bytes.byteCount }
    let total = try store.withBytes(of: token) { bytes in try sum(of: bytes) }
    precondition(total == 98 + 121 + 116 + 101 + 115)
    precondition(length == 5)
    guard let bytes: SecretBytes = try store.get(token) else { preconditionFailure() }
    precondition(bytes.count == 5 && bytes.withBytes { $0.byteCount } == 5 && !bytes.isEmpty)
    try store.add([1, 2, 3] as [UInt8], for: .password(service: "raw"))
    try store.add(SecretBytes(copying: [1, 2]), for: .cached("name", variant: "b"))
    let isThere = try store.contains(token)
    precondition(isThere)
    try store.expire(token, timeout: .seconds(60))
    try store.removeTimeout(of: token)
    try store.delete(token)
}

private func sum(of bytes: RawSpan) throws -> Int {
    struct NoBytes: Error {}
    guard bytes.byteCount > 0 else { throw NoBytes() }
    return (0..<bytes.byteCount).reduce(0) { $0 + Int(bytes.unsafeLoad(fromByteOffset: $1, as: UInt8.self)) }
}

private func items(_ store: SecretStore) throws {
    try store.set("1", for: token, timeout: .seconds(100))
    for attributes in try store.items() + [store.attributes(of: token)].compactMap({ $0 }) {
        precondition(attributes.size >= 0)
        if case .after(let left) = attributes.expiry { precondition(left.atLeast <= .seconds(100)) }
    }
    let named = try store.identities()
    precondition(named.allSatisfy { ItemIdentity(keyDescription: $0.keyDescription) == $0 })
    try store.clear(of: .password, service: "api")
    try store.clear()
}

private func slots(_ store: SecretStore) throws {
    let slot = store.slot(for: token, as: Int.self, timeout: .seconds(900))
    try slot.add(1)
    try slot.save(2)
    try slot.save(3, timeout: .seconds(60))
    try slot.expire(timeout: .seconds(60))
    let loaded = try (slot.load(), slot.loadIfPresent(), slot.contains(), slot.attributes()?.size)
    precondition(loaded == (3, 3, true, 1))
    try slot.blockingUpdate { old in old.map { $0 + 1 } }
    try save(4, with: slot)
    try slot.save(5, refreshAfter: .seconds(60), usableFor: .seconds(90))
    let isRefused = try slot.invalidate(5)
    precondition(isRefused)
    try slot.delete()
    let mirror = store.slot(for: token, through: ModelMirror.self)
    try mirror.save(Model(text: "a"))
    try load(mirror)
    try mirror.delete()
}

private func load(_ loader: some SecretLoader<Model>) throws {
    let model = try loader.load()
    precondition(model.text == "a")
}

private func save(_ number: Int, with saver: some SecretSaver<Int>) throws {
    try saver.save(number)
}

private func credentials(_ store: SecretStore) throws {
    try store.add(InternetCredentials(account: "alice", password: "pw"), server: "example.com")
    try store.set(
        InternetCredentials(account: "bob", password: SecretBytes(utf8: "pw")), server: "example.com",
        deletingOthers: true)
    guard let credentials = try store.get(server: "example.com") else { preconditionFailure() }
    precondition(credentials.account == "bob" && credentials.password.count == 2)
    let passwords = try (
        store.get(server: "example.com")?.passwordText, store.get(server: "example.com", account: "bob")?.passwordText
    )
    precondition(passwords == ("pw", "pw"))
    try store.clear()
}

private func updates(_ store: SecretStore) throws {
    try store.blockingUpdate(.password(service: "counter"), timeout: nil) { (old: Int?) in (old ?? 0) + 1 }
    try store.blockingUpdate(
        .password(service: "counter"), as: Int.self, timeout: .seconds(60), lasting: .seconds(1), waiting: .seconds(1)
    ) { old in old.map { $0 + 1 } }
}

private func fetches(_ store: SecretStore) throws {
    try store.set(SecretBytes(utf8: "new"), for: token, timeout: .seconds(60), refreshAfter: .seconds(30))
    let isRefused = try store.invalidate("new", for: token)
    precondition(isRefused)
}

private func leases(_ store: SecretStore) throws {
    guard let lease = try store.blockingTryLease("job") else { preconditionFailure() }
    try lease.checkHeld()
    precondition(lease.isHeld && lease.fencingNumber > 0 && lease.timeLeft > .zero)
    try lease.renew(lasting: .seconds(20))
    lease.release()
    try store.blockingLease("job", waiting: .seconds(1)).release()
    let number = try store.withBlockingLease("job", waiting: .seconds(1)) { $0.fencingNumber }
    precondition(number > 0)
}

private func errors(_ error: SecretStoreError) {
    precondition(error == SecretStoreError(.tooLarge(size: 2, limit: 1), item: token))
    if let underlying: KeyringError = error.underlying { precondition(underlying.code == .tooLarge) }
    if let quota: KeyQuota = error.quota { precondition(quota.keys <= quota.maximumKeys) }
    // An error as a user's own code throws it, for example in a test.
    let full = SecretStoreError(
        .quotaExceeded, item: token, underlying: KeyringError(.quotaExceeded, in: .add),
        quota: KeyQuota(keys: 1, maximumKeys: 1, bytes: 1, maximumBytes: 1))
    precondition(full.underlying?.code == .quotaExceeded && KeyringError(errno: 1, in: .add).errno == 1)
    switch error.code {
    case .tooLarge(_, let limit): precondition(limit == 1)
    case .notFound, .forbidden: preconditionFailure()
    default: preconditionFailure()
    }
}

private func scopes() throws {
    let scopes: [SecretScope] = [.session, .sharedSession, .user, .process, .thread, .persistent]
    for scope in scopes where scope != .persistent {
        let store = try SecretStore(scope, namespace: "user-package")
        let items = try store.items()
        let isShared = try store.sharingUserID != nil
        precondition(items.isEmpty && store.scope == scope && store.namespace == "user-package")
        precondition(!isShared || scope == .session || scope == .sharedSession)
    }
}
