import Foundation
import SessionKeyring
import SessionKeyringTesting
import Testing

/// A user's own key type, which is `Codable` as well.
private struct OwnKey: RawRepresentableKey, Codable, Equatable, Sendable {
    let rawRepresentation: Data

    init(_ bytes: [UInt8]) { rawRepresentation = Data(bytes) }

    init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {
        self.init(rawRepresentation.withUnsafeBytes { [UInt8]($0) })
    }
}

private let item = ItemIdentity.key(tag: "own")

@Suite("A key that is also Codable is stored as its raw bytes by every call")
struct CodableKeyTests {
    private let store = SecretStore(backend: InMemoryBackend())
    private let key = OwnKey([1, 2, 3])

    private func holds(_ bytes: [UInt8]) throws -> Bool { try store.get(item) == bytes }

    @Test("set, add, get and a slot use the raw bytes")
    func plain() async throws {
        try store.set(key, for: item)
        #expect(try holds([1, 2, 3]))
        #expect(try store.get(item, as: OwnKey.self) == key)
        #expect(try store.delete(item))
        try store.add(key, for: item)
        #expect(try holds([1, 2, 3]))
        try await store.set(OwnKey([4]), for: item, waiting: .seconds(1))
        #expect(try holds([4]))
        try await store.delete(item, waiting: .seconds(1))
        try await store.add(OwnKey([5]), for: item, waiting: .seconds(1))
        #expect(try holds([5]))
        let slot = store.slot(for: item, as: OwnKey.self)
        #expect(try slot.load() == OwnKey([5]))
        try slot.save(OwnKey([6]))
        #expect(try holds([6]))
    }

    @Test("update, value, invalidate and a set with a refresh time use the raw bytes")
    func changed() async throws {
        try await store.update(item, lasting: .scope) { (old: OwnKey?) in old ?? key }
        #expect(try holds([1, 2, 3]))
        try await store.update(item, lasting: .scope) { (old: OwnKey?) in
            old.map { OwnKey([UInt8]($0.rawRepresentation) + [4]) }
        }
        #expect(try holds([1, 2, 3, 4]))
        #expect(try await store.value(for: item, as: OwnKey.self) { OwnKey([9]) } == OwnKey([1, 2, 3, 4]))
        try store.set(key, for: item, lasting: Lifetime(refreshAfter: .seconds(60)))
        #expect(try holds([1, 2, 3]))
        #expect(try store.invalidate(key, for: item))
        #expect(
            try await store.refreshedValue(for: item, as: OwnKey.self) { _ in
                (OwnKey([9]), Lifetime(refreshAfter: .seconds(60)))
            } == OwnKey([9]))
        #expect(try holds([9]))
    }

    @Test("an optional key is stored as its raw bytes")
    func optional() throws {
        let slot = store.slot(for: item, as: OwnKey?.self)
        try slot.save(key)
        #expect(try holds([1, 2, 3]))
        #expect(try slot.load() == key)
    }
}
