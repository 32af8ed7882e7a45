import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "token")

/// Tests that a fetch does not undo a logout.
@Suite("Changes to an item during its fetch", .tags(.kernel, .threads), .aheadOfOthers)
struct FetchUndoneTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    enum Event: String, CaseIterable { case clear, delete, set, setAndDelete, update, nothing }

    @Test(
        "a fetched value is stored only if the item has not changed since the fetch began",
        arguments: Event.allCases, Place.allCases)
    func events(event: Event, place: Place) async throws {
        let store = kernel.store(in: place)
        for hasOldValue in [false, true] {
            try store.clear()
            if hasOldValue { try store.set("old", for: item, lasting: .seconds(3)) }
            let fetched = try await store.value(
                for: item, as: String.self, lasting: Lifetime(.seconds(60), refreshAfter: .seconds(1))
            ) {
                () async throws in
                switch event {
                case .clear: try store.clear()
                case .delete: try store.delete(item)
                case .set: try store.set("newer", for: item)
                case .setAndDelete:
                    try store.set("newer", for: item)
                    try store.delete(item)
                case .update: try await store.update(item, lasting: .scope) { (_: String?) in "newer" }
                case .nothing: break
                }
                return "fetched"
            }
            #expect(fetched == "fetched")
            let expected: String? =
                switch event {
                case .clear, .delete, .setAndDelete: nil
                case .set, .update: "newer"
                case .nothing: "fetched"
                }
            #expect(try store.get(item) == expected, "\(event), \(hasOldValue)")
        }
    }

    @Test("an update that is too late does not keep a fetched value from being stored")
    func lateUpdate() throws {
        try store.set("old", for: item)
        let fetch = try #require(try store.backend.beginFetch(of: item))
        let update = try store.backend.beginUpdate(of: item, lasting: .milliseconds(30))
        _ = try update.read { _ in }
        usleep(100_000)
        #expect { _ = try update.commit([1].span.bytes, timeout: nil, nil, Effort()) } throws: {
            ($0 as? SecretStoreError)?.code == .leaseLost
        }
        #expect(try fetch.store([2].span.bytes, timeout: nil))
    }

    @Test("an update that stores nothing does not undo a fetch", arguments: Place.allCases, [false, true])
    func emptyUpdate(place: Place, inTask isInTask: Bool) async throws {
        let store = kernel.store(in: place)
        _ = try await store.value(for: item, as: String.self, lasting: .seconds(60)) { () async throws -> String in
            if isInTask {
                try await store.update(item, lasting: .scope) { (_: String?) in nil }
            } else {
                try blocking { _ = try store.blockingUpdate(item, lasting: .scope) { (_: String?) in nil } }
            }
            return "fetched"
        }
        #expect(try store.get(item) == "fetched")
    }

    @Test("a refreshed value is stored even if the old value expires during the refresh", arguments: Place.allCases)
    func outlived(place: Place) async throws {
        let now = Locked(ContinuousClock.now)
        let memory = InMemoryBackend(now: { now.withLock { $0 } })
        let store = place == .memory ? SecretStore(backend: memory) : kernel.store
        // In the kernel, the old value lives for more than one second, and for two at most.
        try store.set("old", for: item, lasting: .seconds(2))
        let fetched = try await store.value(
            for: item, as: String.self, lasting: Lifetime(.seconds(60), refreshAfter: .seconds(1))
        ) {
            now.withLock { $0 += .seconds(3) }
            while try store.contains(item) { try await Task.sleep(for: .milliseconds(10)) }
            return "fetched"
        }
        #expect(fetched == "fetched")
        #expect(try store.get(item) == "fetched")
    }

    @Test("a fetched value is stored only after all writers can know about the fetch")
    func grace() throws {
        let begun = ContinuousClock.now
        let fetch = try #require(try store.backend.beginFetch(of: item))
        #expect(try fetch.store([1].span.bytes, timeout: nil))
        // The grace period of the update flag, in which a writer that has not seen the flag may still write.
        #expect(ContinuousClock.now - begun >= .milliseconds(20))
    }

    @Test("a fetch that can't be watched fails, unless the reason is a full quota")
    func unwatched() throws {
        try Key(kernel.scratch.keyring).revoke()
        #expect(throws: SecretStoreError.self) {
            _ = try store.backend.beginFetch(of: item, reserving: nil, Effort()).get()
        }
    }

    @Test("an item with the longest possible name is fetched like any other")
    func longName() async throws {
        let long = ItemIdentity.password(service: String(repeating: "x", count: ItemIdentity.largestDescription - 10))
        for fetched in ["1", "2"] {
            let value = try await store.value(
                for: long, as: String.self, lasting: Lifetime(.seconds(60), refreshAfter: .seconds(59))
            ) {
                fetched
            }
            #expect(value == "1")
        }
        try store.clear()
        #expect(try store.items().isEmpty)
    }

    @Test("fetches leave nothing in the keyring, whether their values are stored or not")
    func leftBehind() async throws {
        _ = try await store.value(for: item, as: String.self, lasting: .seconds(60)) { () async throws -> String in
            try store.clear()
            return "fetched"
        }
        #expect(try await store.value(for: item, as: String.self, lasting: .seconds(60)) { "again" } == "again")
        #expect(try store.get(item) == "again")
        try store.delete(item)
        // Once the kernel has collected the keys of the fetches.
        let ring = try kernel.scratch.keyring.search(keyring: "skr:default")
        #expect(try becomesTrue { () throws in try ring.members().isEmpty })
    }
}
