import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "api")

/// A hook that only shows what it did: the bytes are inverted, after the item's name and a number.
private func inverting(prefix count: Int = 1) -> SecretSealing {
    SecretSealing(
        seal: { secret, item in
            SecretBytes(copying: [UInt8](repeating: UInt8(item.service.utf8.count), count: count) + inverted(secret))
        },
        open: { stored, item in
            struct Forged: Error {}
            guard stored.byteCount >= count,
                count == 0 || stored.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == UInt8(item.service.utf8.count)
            else {
                throw Forged()
            }
            return SecretBytes(copying: inverted(stored.extracting(droppingFirst: count)))
        })
}

private func inverted(_ bytes: RawSpan) -> [UInt8] {
    (0..<bytes.byteCount).map { ~bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
}

@Suite("Sealed values", .tags(.kernel, .threads))
struct SealingTests {
    private func stores(in place: Place, _ kernel: ScratchStore) throws -> (sealed: SecretStore, plain: SecretStore) {
        if place == .kernel { return (try kernel.scratch.store(sealing: inverting()), kernel.store) }
        let backend = InMemoryBackend()
        return (SecretStore(backend: backend, sealing: inverting()), SecretStore(backend: backend))
    }

    @Test("every way of storing seals the value, and every way of reading opens it", arguments: Place.allCases)
    func everyWay(place: Place) async throws {
        let kernel = try ScratchStore()
        let (sealed, plain) = try stores(in: place, kernel)
        let slot = sealed.slot(for: item, as: String.self)
        let limit = Duration.seconds(5)
        let ways: [@Sendable () async throws -> Void] = [
            { try sealed.set("ab", for: item) }, { try sealed.set(SecretBytes(utf8: "ab"), for: item) },
            { try await sealed.set("ab", for: item, waiting: limit) },
            { try await sealed.set(SecretBytes(utf8: "ab"), for: item, waiting: limit) },
            { try sealed.add("ab", for: item) }, { try sealed.add(SecretBytes(utf8: "ab"), for: item) },
            { try await sealed.add("ab", for: item, waiting: limit) },
            { try await sealed.add(SecretBytes(utf8: "ab"), for: item, waiting: limit) },
            { try slot.save("ab") }, { try await slot.save("ab", waiting: limit) },
            { try await slot.update { old in (old ?? "a") + "b" } },
            { try blocking { _ = try sealed.blockingUpdate(item, lasting: .scope) { (_: String?) in "ab" } } },
            { _ = try await sealed.value(for: item, as: String.self) { "ab" } },
            { _ = try await slot.refreshedValue { _ in ("ab", .scope) } },
        ]
        for (number, way) in ways.enumerated() {
            try sealed.clear()
            try await way()
            #expect(try plain.get(item, as: [UInt8].self) == [3, ~0x61, ~0x62], "\(number)")
            #expect(try sealed.get(item, as: String.self) == "ab" && slot.load() == "ab", "\(number)")
            #expect(try sealed.withBytes(of: item) { $0.byteCount } == 2, "\(number)")
            #expect(try sealed.attributes(of: item)?.size == 3, "\(number)")
            #expect(try await slot.value { throw Refusal() } == "ab", "\(number)")
            #expect(try await slot.update { old in (old ?? "") + "c" } == "abc", "\(number)")
            #expect(try await slot.invalidate("abc"), "\(number)")
        }
    }

    @Test("a stored value that can't be opened is undecodable, and is fetched again", arguments: Place.allCases)
    func forged(place: Place) async throws {
        let kernel = try ScratchStore()
        let (sealed, plain) = try stores(in: place, kernel)
        try plain.set("plain", for: item)
        let slot = sealed.slot(for: item, as: String.self)
        let reads: [() throws -> Void] = [
            { _ = try sealed.get(item, as: String.self) }, { _ = try sealed.withBytes(of: item) { $0.byteCount } },
            { _ = try slot.load() },
            { _ = try blocking { try sealed.blockingUpdate(item, lasting: .scope) { (_: String?) in "x" } } },
        ]
        for read in reads {
            #expect { try read() } throws: {
                if case .undecodable? = ($0 as? SecretStoreError)?.code { true } else { false }
            }
        }
        #expect(try plain.get(item) == "plain")
        #expect(try await slot.value { "fetched" } == "fetched")
    }

    @Test("a refresh with the wrong key is an error, and destroys no token", arguments: Place.allCases)
    func wrongKey(place: Place) async throws {
        let kernel = try ScratchStore()
        let (sealed, plain) = try stores(in: place, kernel)
        try plain.set("token of another program", for: item)
        let slot = sealed.slot(for: item, as: String.self)
        await #expect {
            try await slot.refreshedValue { _ in ("login", .scope) }
        } throws: {
            if case .undecodable? = ($0 as? SecretStoreError)?.code { true } else { false }
        }
        #expect(try plain.get(item) == "token of another program")
        #expect(try !sealed.deleteUnchanged(.key(tag: "none"), SecretBytes(utf8: "x")))
        try sealed.set("same", for: item)
        #expect(try !sealed.deleteUnchanged(item, SecretBytes(utf8: "other")))
        #expect(try sealed.deleteUnchanged(item, SecretBytes(utf8: "same")))
        #expect(try !sealed.contains(item))
    }

    @Test("a refreshed value that can't be sealed is returned, and the old one stays")
    func unsealableRefresh() async throws {
        let backend = InMemoryBackend()
        try SecretStore(backend: backend).set("old", for: item)
        let store = SecretStore(
            backend: backend,
            sealing: SecretSealing(
                seal: { _, _ in throw Refusal() }, open: { bytes, _ in SecretBytes(copying: bytes) }))
        #expect(try await store.refreshedValue(for: item, as: String.self) { _ in ("new", .scope) } == "new")
        #expect(try store.get(item) == "old")
    }

    @Test("a value that can't be sealed is unencodable, and the old one stays")
    func unsealable() throws {
        let backend = InMemoryBackend()
        try SecretStore(backend: backend).set("old", for: item)
        let store = SecretStore(
            backend: backend,
            sealing: SecretSealing(
                seal: { _, _ in throw Refusal() }, open: { bytes, _ in SecretBytes(copying: bytes) }))
        for call in [{ try store.set("x", for: item) }, { try store.add("x", for: .key(tag: "new")) }] {
            #expect { try call() } throws: {
                if case .unencodable? = ($0 as? SecretStoreError)?.code { true } else { false }
            }
        }
        #expect(try store.get(item) == "old")
    }

    @Test(
        "the size that counts is that of the sealed bytes", .tags(.root), .enabled(if: isRoot),
        arguments: Place.allCases)
    func size(place: Place) throws {
        let kernel = try ScratchStore()
        let (sealed, _) = try stores(in: place, kernel)
        try sealed.set([UInt8](repeating: 1, count: 32_766), for: item)
        #expect { try sealed.set([UInt8](repeating: 1, count: 32_767), for: item) } throws: {
            ($0 as? SecretStoreError)?.code == .tooLarge(size: 32_768, limit: 32_767)
        }
    }

    @Test("stores share a fetch only if they have the same sealing")
    func sharing() async throws {
        let kernel = try ScratchStore()
        let common = inverting()
        let (first, second) = (
            try kernel.scratch.store(sealing: common), try kernel.scratch.store(sealing: common)
        )
        let other = try kernel.scratch.store(sealing: inverting(prefix: 2))
        func key(_ store: SecretStore) -> FetchKey {
            FetchKey(store.backend, of: store, item, String.self, sealing: store.sealing)
        }
        #expect(key(first) == key(second))
        #expect(key(first) != key(other))
        #expect(key(first) != key(kernel.store))
        #expect(first.updateKey(item) == other.updateKey(item), "an update excludes writers with any sealing")
    }
}
