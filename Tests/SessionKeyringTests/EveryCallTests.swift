import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

/// Rules that each call of the store and of a slot keeps.
@Suite("Every call of a store")
struct EveryCallTests {
    private typealias Call = @Sendable (SecretStore, ItemIdentity) async throws -> Void

    private struct OwnKey: RawRepresentableKey {
        var rawRepresentation = Data([1])
        init() {}
        init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) {}
    }

    private static let (brief, limit) = (Duration.seconds(60), Duration.seconds(1))

    /// Calls for an item.
    private static let itemCalls: [String: Call] = [
        "get": { _ = try $0.get($1) as String? },
        "bytes": { _ = try $0.bytes(of: $1) },
        "withBytes": { try $0.withBytes(of: $1) { _ in } },
        "contains": { _ = try $0.contains($1) },
        "attributes": { _ = try $0.attributes(of: $1) },
        "set": { try $0.set("x", for: $1) },
        "set of bytes": { try $0.set(SecretBytes(utf8: "x"), for: $1) },
        "set, fresh": { try $0.set("x", for: $1, lasting: Lifetime(refreshAfter: brief)) },
        "set, waiting": { try await $0.set("x", for: $1, waiting: limit) },
        "set of bytes, waiting": { try await $0.set(SecretBytes(utf8: "x"), for: $1, waiting: limit) },
        "add": { try $0.add("x", for: $1) },
        "add of bytes": { try $0.add(SecretBytes(utf8: "x"), for: $1) },
        "add, waiting": { try await $0.add("x", for: $1, waiting: limit) },
        "add of bytes, waiting": { try await $0.add(SecretBytes(utf8: "x"), for: $1, waiting: limit) },
        "expire": { try $0.expire($1, timeout: brief) },
        "expire, waiting": { try await $0.expire($1, timeout: brief, waiting: limit) },
        "expire, never": { try $0.expire($1, timeout: nil) },
        "expire, never, waiting": { try await $0.expire($1, timeout: nil, waiting: limit) },
        "delete": { try $0.delete($1) },
        "delete, waiting": { try await $0.delete($1, waiting: limit) },
        "update": { try await $0.update($1, lasting: .scope) { (_: String?) in "x" } },
        "blockingUpdate": { store, item in
            try blocking { _ = try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "x" } }
        },
        "value": { _ = try await $0.value(for: $1, as: String.self) { "x" } },
        "value, lifetime": { _ = try await $0.refreshedValue(for: $1, as: String.self) { _ in ("x", .scope) } },
        "invalidate": { _ = try $0.invalidate("x", for: $1) },
        "load": { _ = try $0.slot(for: $1, as: String.self).load() },
        "loadIfPresent": { _ = try $0.slot(for: $1, as: String.self).loadIfPresent() },
        "save": { try $0.slot(for: $1, as: String.self).save("x") },
        "save, fresh": { try $0.slot(for: $1, as: String.self).save("x", lasting: Lifetime(refreshAfter: brief)) },
        "save, waiting": { try await $0.slot(for: $1, as: String.self).save("x", waiting: limit) },
        "load of a key": { _ = try $0.slot(for: $1, as: OwnKey.self).load() },
        "save of a key": { try $0.slot(for: $1, as: OwnKey.self).save(OwnKey()) },
        "a slot's delete": { try $0.slot(for: $1, as: String.self).delete() },
        "a slot's delete, waiting": { try await $0.slot(for: $1, as: String.self).delete(waiting: limit) },
        "a slot's update": { try await $0.slot(for: $1, as: String.self).update { _ in "x" } },
        "a slot's value": { _ = try await $0.slot(for: $1, as: String.self).value { "x" } },
        "a slot's refreshedValue": {
            _ = try await $0.slot(for: $1, as: String.self).refreshedValue { _ in ("x", .scope) }
        },
        "a slot's invalidate": { _ = try await $0.slot(for: $1, as: String.self).invalidate("x", waiting: limit) },
    ]

    /// Calls that are not for one item.
    private static let otherCalls: [String: Call] = [
        "items": { store, _ in _ = try store.items() },
        "identities": { store, _ in _ = try store.identities() },
        "clear": { store, _ in try store.clear() },
        "lease": { store, _ in _ = try await store.lease("job", waiting: limit) },
        "tryLease": { store, _ in _ = try await store.tryLease("job") },
        "blockingLease": { store, _ in try blocking { _ = try store.blockingLease("job", waiting: limit) } },
        "blockingTryLease": { store, _ in try blocking { _ = try store.blockingTryLease("job") } },
        "withLease": { store, _ in try await store.withLease("job", waiting: limit) { _ in } },
        "withCancellingLease": { store, _ in try await store.withCancellingLease("job", waiting: limit) { _ in } },
        "withBlockingLease": { store, _ in
            try blocking { try store.withBlockingLease("job", waiting: limit) { _ in } }
        },
    ]

    private static let calls = itemCalls.merging(otherCalls) { call, _ in call }

    @Test("an error of the backend is thrown", arguments: calls.keys.sorted())
    func failing(name: String) async throws {
        let call = try #require(Self.calls[name])
        let store = SecretStore(backend: FailingBackend())
        await #expect(throws: FailingBackend.error) { try await call(store, .password(service: "api")) }
    }

    @Test("a name that no item can have is refused", arguments: itemCalls.keys.sorted())
    func badName(name: String) async throws {
        let call = try #require(Self.itemCalls[name])
        let store = SecretStore(backend: InMemoryBackend())
        for service in ["", String(repeating: "x", count: 5_000)] {
            await #expect { try await call(store, .password(service: service)) } throws: {
                if case .invalidName? = ($0 as? SecretStoreError)?.code { true } else { false }
            }
        }
        #expect(try store.items().isEmpty)
    }

    @Test("an add never replaces an item", arguments: calls.keys.filter { $0.contains("add") }.sorted())
    func duplicate(name: String) async throws {
        let call = try #require(Self.calls[name])
        let store = SecretStore(backend: InMemoryBackend())
        try await call(store, .password(service: "api"))
        await #expect { try await call(store, .password(service: "api")) } throws: {
            ($0 as? SecretStoreError)?.code == .duplicate
        }
        #expect(try store.items().count == 1)
    }
}

/// Fails at everything.
private struct FailingBackend: SecretBackend {
    static let error = SecretStoreError(.unavailable)

    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool { throw Self.error }

    func readWithFacts(
        _ item: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> KnownValue? { throw Self.error }

    func changeFacts(
        of item: ItemIdentity, _ value: KnownValue, _ effort: Effort, _ change: (inout ItemFacts) -> Void
    ) throws(SecretStoreError) -> Outcome<Bool> { throw Self.error }

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> { throw Self.error }

    func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Void> { throw Self.error }

    func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> { throw Self.error }

    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { throw Self.error }

    func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        throw Self.error
    }

    func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> { throw Self.error }

    func clear() throws(SecretStoreError) { throw Self.error }
    func identities() throws(SecretStoreError) -> [ItemIdentity] { throw Self.error }
    func attributes() throws(SecretStoreError) -> [ItemAttributes] { throw Self.error }
    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? { throw Self.error }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> { throw Self.error }

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> { throw Self.error }

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> { throw Self.error }

    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool { throw Self.error }
    func unreadableKeys() throws(SecretStoreError) -> [KeySerial] { throw Self.error }
    func itemsWithHidden() throws(SecretStoreError) -> Set<ItemIdentity> { throw Self.error }
    func isBeingWritten(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { throw Self.error }
    func leaseReport(_ name: String) -> LeaseReport? { nil }
    var place: StorePlace? { nil }
}
