import SessionKeyring

/// The calls that can be profiled.
enum Call: String, CaseIterable {
    case get, set, add, update
    case fetch = "value(for:)"
    case lease

    private static let item = ItemIdentity.password(service: "one-call", account: "alice")
    private static let timeout = Duration.seconds(60)

    /// Stores or deletes the item, as the call requires.
    func prepare(_ store: SecretStore) throws {
        switch self {
        case .get: try store.set("secret", for: Self.item, lasting: Lifetime(Self.timeout))
        case .add, .fetch: try store.delete(Self.item)
        case .set, .update, .lease: break
        }
    }

    /// Makes the call once.
    func make(_ store: SecretStore) async throws {
        let (item, timeout) = (Self.item, Self.timeout)
        switch self {
        case .get: _ = try store.get(item, as: String.self)
        case .set: try store.set("secret", for: item, lasting: Lifetime(timeout))
        case .add: try store.add("secret", for: item, lasting: Lifetime(timeout))
        case .update: try await store.update(item, lasting: Lifetime(timeout)) { (old: Int?) in (old ?? 0) + 1 }
        case .fetch: _ = try await store.value(for: item, as: String.self, lasting: Lifetime(timeout)) { "secret" }
        case .lease: try await store.withLease("one-call", waiting: .zero) { try $0.checkHeld() }
        }
    }
}
