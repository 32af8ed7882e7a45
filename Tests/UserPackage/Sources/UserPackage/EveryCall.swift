// Each public call, with one import.
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
    try await callFromTask(store)
    try callAllBlocking(store)
}

private func callFromTask(_ store: SecretStore) async throws {
    try await store.set("1", for: token, timeout: .seconds(60), waiting: .seconds(1))
    try await store.expire(token, timeout: .seconds(60), waiting: .seconds(1))
    try await store.update(token, timeout: nil) { (old: String?) in old.map { $0 + "2" } }
    try await store.delete(token, waiting: .seconds(1))
    try await store.add(SecretBytes(utf8: "bytes"), for: token, waiting: .seconds(1))
    try await store.withLease("job", waiting: .seconds(1)) { lease in precondition(lease.isHeld) }
    let lease = try await store.lease("job", lasting: .seconds(1), waiting: .seconds(1))
    lease.release()
    // Closures without an `await`.
    let kept = try await store.value(for: token, timeout: .seconds(60)) { "fetched" }
    precondition(kept == "bytes")
    let slot = store.slot(for: .password(service: "slot"), as: Int.self)
    let first = try await slot.value { old in Fetched((old ?? 0) + 1, refreshAfter: .seconds(60)) }
    try await slot.save(first + 1, waiting: .seconds(1))
    try store.set(7, for: slot.item, refreshAfter: .seconds(60))
    let isRefused = try await store.invalidate(7, for: slot.item, waiting: .seconds(1))
    precondition(first == 1 && isRefused)
    try store.clear()
}

private func callAllBlocking(_ store: SecretStore) throws {
    try setAndGet(store)
    try items(store)
    try slots(store)
    try credentials(store)
    try updatesAndLeases(store)
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
    precondition(length == 5)
    guard let bytes: SecretBytes = try store.get(token) else { preconditionFailure() }
    precondition(bytes.count == 5 && bytes.withBytes { $0.byteCount } == 5 && !bytes.isEmpty)
    try store.add([1, 2, 3] as [UInt8], for: .password(service: "raw"))
    try store.add(SecretBytes(copying: [1, 2]), for: .cached("name", variant: "b"))
    let isThere = try store.contains(token)
    precondition(isThere)
    try store.expire(token, timeout: .seconds(60))
    try store.delete(token)
}

private func items(_ store: SecretStore) throws {
    try store.set("1", for: token, timeout: .seconds(100))
    for attributes in try store.items() + [store.attributes(of: token)].compactMap({ $0 }) {
        let (serial, permissions): (KeySerial, KeyPermissions) = (attributes.serial, attributes.permissions)
        precondition(attributes.size >= 0 && serial.rawValue >= 0 && permissions.contains(.possessorRead))
        if case .after(let left) = attributes.expiry { precondition(left.atLeast <= .seconds(100)) }
    }
    let named = try store.identities() + store.identities(of: .password, service: "api")
    precondition(named.allSatisfy { ItemIdentity(keyDescription: $0.keyDescription) == $0 })
    let sole = try store.soleItem(of: .password, service: "api")
    precondition(sole == token)
    let unreadable = try store.unreadableKeys()
    precondition(unreadable.isEmpty)
    try store.clear(of: .password, service: "api")
    try store.clear()
}

private func slots(_ store: SecretStore) throws {
    let slot = store.slot(for: token, as: Int.self, timeout: .seconds(900))
    try slot.add(1)
    try slot.save(2)
    try slot.save(3, timeout: nil)
    try slot.expire(timeout: .seconds(60))
    let loaded = try (slot.load(), slot.loadIfPresent(), slot.contains(), slot.attributes()?.size)
    precondition(loaded == (3, 3, true, 1))
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

private func credentials(_ store: SecretStore) throws {
    try store.add(InternetCredentials(account: "alice", password: "pw"), server: "example.com")
    try store.set(
        InternetCredentials(account: "bob", password: SecretBytes(utf8: "pw")), server: "example.com",
        deletingOthers: true)
    guard let credentials = try store.get(server: "example.com") else { preconditionFailure() }
    precondition(credentials.account == "bob" && credentials.password.count == 2)
    try store.clear()
}

private func updatesAndLeases(_ store: SecretStore) throws {
    try store.update(.password(service: "counter"), timeout: nil) { (old: Int?) in (old ?? 0) + 1 }
    guard let lease = try store.tryLease("job", lasting: .seconds(10)) else { preconditionFailure() }
    precondition(lease.isHeld && lease.fencingNumber > 0 && lease.timeLeft > .zero)
    lease.release()
    let number = try store.withBlockingLease("job", waiting: .seconds(1)) { $0.fencingNumber }
    let value = try store.blockingValue(for: token, timeout: .seconds(60)) { "fetched" }
    let isRefused = try store.invalidate("fetched", for: token)
    precondition(number > 0 && value == "fetched" && isRefused)
}

private func errors(_ error: SecretStoreError) {
    precondition(error == SecretStoreError(.tooLarge(size: 2, limit: 1), item: token) && !error.hint.isEmpty)
    if let underlying: KeyringError = error.underlying { precondition(underlying.code == .tooLarge) }
    if let quota: KeyQuota = error.quota { precondition(quota.keys <= quota.maximumKeys) }
    switch error.code {
    case .tooLarge(_, let limit): precondition(limit == 1)
    case .notFound, .forbidden: preconditionFailure()
    default: preconditionFailure()
    }
}

private func scopes() throws {
    let scopes: [SecretScope] = [.session, .sharedSession, .user, .process, .thread, .persistent]
    for scope in scopes where scope != .persistent {
        let store = try SecretStore(scope, namespace: "user-package", codec: .json)
        let items = try store.items()
        precondition(items.isEmpty)
    }
}
