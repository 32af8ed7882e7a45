// Makes every public call for tasks, with one import.
import SessionKeyring

private let token = ItemIdentity.password(service: "api", account: "alice")

func callAllInTasks(_ store: SecretStore) async throws {
    try await items(store)
    try await slots(store)
    try await fetches(store)
    try await credentials(store)
    try await leases(store)
    try await Client(store: store).callAll()
    try store.clear()
}

private func items(_ store: SecretStore) async throws {
    try await store.set("1", for: token, timeout: .seconds(60), waiting: .seconds(1))
    try await store.expire(token, timeout: .seconds(60), waiting: .seconds(1))
    try await store.removeTimeout(of: token, waiting: .seconds(1))
    try await store.update(token, timeout: nil) { (old: String?) in old.map { $0 + "2" } }
    try await store.update(
        token, as: String.self, timeout: nil, lasting: .seconds(1), waiting: .seconds(1)
    ) { old in old.map { $0 + "3" } }
    try await store.delete(token, waiting: .seconds(1))
    try await store.add("2", for: token, waiting: .seconds(1))
    let count = try await store.clear(of: .password, service: "api", waiting: .seconds(1))
    precondition(count == 1)
    try await store.set(SecretBytes(utf8: "bytes"), for: token, waiting: .seconds(1))
    try await store.delete(token, waiting: .seconds(1))
    try await store.add(SecretBytes(utf8: "bytes"), for: token, waiting: .seconds(1))
}

private func slots(_ store: SecretStore) async throws {
    let slot = store.slot(for: .password(service: "slot"), as: Int.self, timeout: .seconds(100))
    // Closures without an `await`.
    let first = try await slot.value { old in Fetched((old ?? 0) + 1, refreshAfter: .seconds(60)) }
    precondition(first == 1)
    try await slot.save(first + 1, waiting: .seconds(1))
    try await slot.save(3, timeout: .seconds(60), waiting: .seconds(1))
    try await slot.save(4, refreshAfter: .seconds(60), waiting: .seconds(1))
    let isRefused = try await slot.invalidate(4, waiting: .seconds(1))
    try await slot.expire(timeout: .seconds(60), waiting: .seconds(1))
    try await slot.delete(waiting: .seconds(1))
    try await slot.add(5, waiting: .seconds(1))
    try await slot.delete(waiting: .seconds(1))
    try await slot.add(6, timeout: .seconds(60), waiting: .seconds(1))
    try await slot.update { old in old.map { $0 + 1 } }
    let kept = try await slot.value { 8 }
    precondition(isRefused && kept == 7)
}

private func fetches(_ store: SecretStore) async throws {
    let kept = try await store.value(for: token, timeout: .seconds(60)) { "fetched" }
    precondition(kept == "bytes")
    try await store.set("set", for: token, refreshAfter: .seconds(60), waiting: .seconds(1))
    let isRefused = try await store.invalidate("set", for: token, waiting: .seconds(1))
    let again = try await store.value(for: token) { (old: String?) in Fetched((old ?? "") + "+") }
    precondition(isRefused && again == "set+")
    try await store.set(
        SecretBytes(utf8: "new"), for: token, refreshAfter: .seconds(60), usableFor: .seconds(90),
        waiting: .seconds(1))
}

private func credentials(_ store: SecretStore) async throws {
    try await store.add(
        InternetCredentials(account: "alice", password: "pw"), server: "example.com", waiting: .seconds(1))
    try await store.set(
        InternetCredentials(account: "bob", password: "pw"), server: "example.com", timeout: .seconds(60),
        deletingOthers: true, waiting: .seconds(1))
    let count = try await store.clear(of: .internet, service: "example.com", waiting: .seconds(1))
    precondition(count == 1)
}

private func leases(_ store: SecretStore) async throws {
    try await store.withLease("job", waiting: .seconds(1)) { lease in precondition(lease.isHeld) }
    try await store.withCancellingLease("job", waiting: .seconds(1)) { lease in try lease.checkHeld() }
    try await store.lease("job", waiting: .seconds(1)).release()
    try await store.tryLease("job")?.release()
}

/// Calls from an actor, with closures that use the actor's own state.
private actor Client {
    let store: SecretStore
    var count = 0

    init(store: SecretStore) { self.store = store }

    func callAll() async throws {
        let item = ItemIdentity.password(service: "actor")
        try await store.update(item, timeout: nil) { (old: Int?) in
            count += 1
            return (old ?? 0) + count
        }
        try await store.withLease("actor", waiting: .seconds(1)) { _ in count += 1 }
        let value = try await store.value(for: item, as: Int.self) { await self.count }
        let slot = store.slot(for: item, as: Int.self)
        try await slot.update { old in (old ?? 0) + count }
        try await store.set(SecretBytes(utf8: "3"), for: item, waiting: .seconds(1))
        let loaded = try slot.load()
        precondition(value == 1 && count == 2 && loaded == 3)
    }
}
