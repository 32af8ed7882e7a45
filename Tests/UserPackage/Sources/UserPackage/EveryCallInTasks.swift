// Makes every public call for tasks, with one import.
import SessionKeyring

private let token = ItemIdentity.password(service: "api", account: "alice")

private struct Token: Codable, Equatable {
    var text: String
    var lifetime = 3_600
}

func callAllInTasks(_ store: SecretStore) async throws {
    try await items(store)
    try await slots(store)
    try await fetches(store)
    try await tokens(store)
    try await leases(store)
    try await Client(store: store).callAll()
    try store.clear()
}

private func items(_ store: SecretStore) async throws {
    try await store.set("1", for: token, lasting: .seconds(60), waiting: .seconds(1))
    let isExpiring = try await store.expire(token, timeout: .seconds(60), waiting: .seconds(1))
    let isKept = try await store.expire(token, timeout: nil, waiting: .seconds(1))
    try await store.update(token, lasting: .scope) { (old: String?) in old.map { $0 + "2" } }
    let text = try await store.update(
        token, as: String.self, lasting: .seconds(60), within: .seconds(1), waiting: .seconds(1)
    ) { old in old.map { $0 + "3" } }
    let isDeleted = try await store.delete(token, waiting: .seconds(1))
    precondition(isExpiring && isKept && isDeleted && text == "123")
    try await store.add("2", for: token, lasting: .seconds(60), waiting: .seconds(1))
    try await store.set(SecretBytes(utf8: "bytes"), for: token, lasting: .scope, waiting: .seconds(1))
    try await store.delete(token, waiting: .seconds(1))
    try await store.add(SecretBytes(utf8: "bytes"), for: token, waiting: .seconds(1))
}

private func slots(_ store: SecretStore) async throws {
    let slot = store.slot(for: .password(service: "slot"), as: Int.self, lasting: .seconds(100))
    // Closures without an `await`.
    let first = try await slot.value { 1 }
    let kept = try await slot.value(options: FetchOptions(limit: .seconds(5))) { 2 }
    precondition(first == 1 && kept == 1)
    try await slot.save(first + 1, waiting: .seconds(1))
    try await slot.save(3, lasting: .seconds(60), waiting: .seconds(1))
    try await slot.update { old in old.map { $0 + 1 } }
    try await slot.update(lasting: .seconds(60), within: .seconds(1), waiting: .seconds(1)) { $0.map { $0 + 1 } }
    let number = try slot.load()
    let isDeleted = try await slot.delete(waiting: .seconds(1))
    precondition(number == 5 && isDeleted)
}

private func fetches(_ store: SecretStore) async throws {
    let kept = try await store.value(for: token, as: String.self) { "fetched" }
    precondition(kept == "bytes")
    try store.delete(token)
    let options = FetchOptions(staleWhileRefreshing: true, limit: .seconds(5), retryAfter: nil, firstValueSize: 100)
    let lifetime = Lifetime(.seconds(60), refreshAfter: .seconds(30), usableFor: .seconds(50))
    let fetched = try await store.value(for: token, as: String.self, lasting: lifetime, options: options) { "fetched" }
    precondition(fetched == "fetched")
    let old = try await store.refreshedValue(for: token, as: String.self) { _ in ("refreshed", .seconds(60)) }
    precondition(old == "fetched")
    try store.delete(token)
    let new = try await store.refreshedValue(for: token, as: String.self, options: FetchOptions(firstValueSize: 10)) {
        old in
        ((old ?? "") + "+", lifetime)
    }
    precondition(new == "+")
}

private func tokens(_ store: SecretStore) async throws {
    let tokens = store.slot(for: .password(service: "oauth"), as: Token.self)
    let first = try await tokens.refreshedValue { old in (old ?? Token(text: "1"), .token(livingFor: .seconds(3_600))) }
    let isRefused = try await tokens.invalidate(first)
    let second = try await tokens.refreshedValue(options: FetchOptions(limit: .seconds(5))) { old in
        let new = Token(text: (old?.text ?? "") + "2")
        return (new, .token(livingFor: .seconds(new.lifetime)))
    }
    precondition(isRefused && second.text == "12")
    let isRefusedAgain = try await tokens.invalidate(first, waiting: .seconds(1))
    try await tokens.invalidate(second, waiting: .seconds(1))
    let third = try await tokens.refreshedValue { old in
        if old != nil { throw RefusedOldValue() }
        return (Token(text: "3"), .scope)
    }
    precondition(!isRefusedAgain && third.text == "3")
}

private func leases(_ store: SecretStore) async throws {
    let number = try await store.withLease("job", waiting: .zero) { lease in
        try lease.checkHeld()
        return lease.fencingNumber
    }
    let next = try await store.withCancellingLease("job", lasting: .seconds(20), waiting: .seconds(1)) { lease in
        try lease.checkHeld()
        return lease.fencingNumber
    }
    precondition(next > number)
}

/// Calls from an actor, with closures that use the actor's own state.
private actor Client {
    let store: SecretStore
    var count = 0

    init(store: SecretStore) { self.store = store }

    func callAll() async throws {
        let item = ItemIdentity.password(service: "actor")
        try await store.update(item, lasting: .scope) { (old: Int?) in
            count += 1
            return (old ?? 0) + count
        }
        try await store.withLease("actor", waiting: .seconds(1)) { _ in count += 1 }
        let value = try await store.value(for: item, as: Int.self) { await self.count }
        let slot = store.slot(for: item, as: Int.self)
        try await slot.update { old in (old ?? 0) + count }
        let updated = try slot.load()
        try store.delete(item)
        let fetched = try await slot.refreshedValue { _ in (await self.count, .scope) }
        try await store.set(SecretBytes(utf8: "4"), for: item, waiting: .seconds(1))
        let loaded = try slot.load()
        precondition(value == 1 && count == 2 && updated == 3 && fetched == 2 && loaded == 4)
    }
}
