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

/// A client's own protocol.
private protocol ModelLoader {
    func load() throws -> Model
}

extension SecretSlot: ModelLoader where Secret == Model {}

func callAll(_ store: SecretStore) async throws {
    try await callAllInTasks(store)
    try callAllBlocking(store)
}

private func callAllBlocking(_ store: SecretStore) throws {
    try setAndGet(store)
    try items(store)
    try slots(store)
    try updates(store)
    try leases(store)
    errors(SecretStoreError(.tooLarge(size: 2, limit: 1), item: token))
    try scopes()
}

private func setAndGet(_ store: SecretStore) throws {
    try store.set("s3cret", for: token, lasting: .seconds(8 * 3600))
    let again = try store.get(token, as: String.self)
    precondition(again == "s3cret")
    try store.set(Login(user: "alice", groups: ["ops"]), for: token)
    let login: Login? = try store.get(token)
    precondition(login?.groups == ["ops"])
    try store.set(SecretBytes(utf8: "bytes"), for: token, lasting: .token(livingFor: .seconds(600)))
    let length = try store.withBytes(of: token) { bytes in bytes.byteCount }
    let total = try store.withBytes(of: token) { bytes in try sum(of: bytes) }
    precondition(total == 98 + 121 + 116 + 101 + 115)
    precondition(length == 5)
    guard let bytes = try store.withBytes(of: token, { SecretBytes(copying: $0) }) else { preconditionFailure() }
    precondition(bytes.count == 5 && bytes.withBytes { $0.byteCount } == 5 && !bytes.isEmpty)
    try store.add([1, 2, 3] as [UInt8], for: .password(service: "raw"))
    try store.add(SecretBytes(copying: [1, 2]), for: .credential(service: "raw"), lasting: .seconds(60))
    let isThere = try store.contains(token)
    let isExpiring = try store.expire(token, timeout: .seconds(60))
    let isKept = try store.expire(token, timeout: nil)
    let isDeleted = try store.delete(token)
    precondition(isThere && isExpiring && isKept && isDeleted)
}

private func sum(of bytes: RawSpan) throws -> Int {
    struct NoBytes: Error {}
    guard bytes.byteCount > 0 else { throw NoBytes() }
    return (0..<bytes.byteCount).reduce(0) { $0 + Int(bytes.unsafeLoad(fromByteOffset: $1, as: UInt8.self)) }
}

private func items(_ store: SecretStore) throws {
    let login = ItemIdentity.internet(server: "example.com", account: "bob")
    try store.set("1", for: token, lasting: Lifetime(.seconds(100)))
    let lifetime = Lifetime(.seconds(100), refreshAfter: .seconds(60), usableFor: .seconds(90))
    try store.set("pw", for: login, lasting: lifetime)
    for attributes in try store.items() + [store.attributes(of: token)].compactMap({ $0 }) {
        precondition(attributes.size >= 0)
        if case .after(let left) = attributes.expiry { precondition(left.atLeast <= .seconds(100)) }
    }
    let names = try store.identities()
    let accounts = names.filter { $0.kind == .internet && $0.service == "example.com" }.map(\.account)
    precondition(accounts == ["bob"] && names.contains { $0.keyDescription == "password:api:alice" })
    try store.clear()
}

private func slots(_ store: SecretStore) throws {
    let slot = store.slot(for: token, as: Int.self, lasting: .seconds(900))
    try slot.save(2)
    try slot.save(3, lasting: .seconds(60))
    let loaded = try (slot.load(), slot.loadIfPresent())
    precondition(loaded == (3, 3))
    let isDeleted = try slot.delete()
    let mirror = store.slot(for: token, through: ModelMirror.self, lasting: .seconds(900))
    try mirror.save(Model(text: "a"))
    try load(mirror)
    precondition(isDeleted)
    try mirror.delete()
}

private func load(_ loader: some ModelLoader) throws {
    let model = try loader.load()
    precondition(model.text == "a")
}

private func updates(_ store: SecretStore) throws {
    try store.blockingUpdate(.password(service: "counter"), lasting: .scope) { (old: Int?) in (old ?? 0) + 1 }
    let number = try store.blockingUpdate(
        .password(service: "counter"), as: Int.self, lasting: .seconds(60), within: .seconds(1), waiting: .seconds(1)
    ) { old in old.map { $0 + 1 } }
    precondition(number == 2)
}

private func leases(_ store: SecretStore) throws {
    let number = try store.withBlockingLease("job", waiting: .zero) { lease in
        try lease.checkHeld()
        return lease.fencingNumber
    }
    let next = try store.withBlockingLease("job", lasting: .seconds(20), waiting: .seconds(1)) { $0.fencingNumber }
    precondition(number > 0 && next > number)
}

private func errors(_ error: SecretStoreError) {
    precondition(error == SecretStoreError(.tooLarge(size: 2, limit: 1), item: token) && error.item == token)
    // An error as a user's own code throws it, for example in a test.
    let full = SecretStoreError(.quotaExceeded, item: token, underlying: KeyringError(.quotaExceeded, in: .add))
    precondition(full.underlying?.code == .quotaExceeded && KeyringError(errno: 1, in: .add).errno == 1)
    precondition(!full.description.isEmpty)
    switch error.code {
    case .tooLarge(_, let limit): precondition(limit == 1)
    case .notFound, .forbidden: preconditionFailure()
    default: preconditionFailure()
    }
}

private func scopes() throws {
    let scopes: [SecretScope] = [.session, .sharedSession, .user, .process, .thread, .persistent]
    for scope in scopes where scope != .persistent {
        let items = try SecretStore(scope, namespace: "user-package", codec: JSONSecretCodec()).items()
        precondition(items.isEmpty)
    }
}
