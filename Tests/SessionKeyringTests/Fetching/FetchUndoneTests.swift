import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "token")

/// A fetch undoes no logout (issue line 1.12).
@Suite("What happens during a fetch", .tags(.kernel), .aheadOfOthers)
struct FetchUndoneTests {
    enum Event: String, CaseIterable { case clear, delete, set, setAndDelete, update, nothing }

    @Test(
        "what was fetched is stored only if nothing happened to the item since the fetch began",
        arguments: Event.allCases, [false, true])
    func events(event: Event, isInMemory: Bool) throws {
        let scratch = try ScratchKeyring()
        let store = isInMemory ? SecretStore(backend: InMemoryBackend()) : try scratch.store()
        for hasOldValue in [false, true] {
            try store.clear()
            if hasOldValue { try store.set("old", for: item, timeout: .seconds(3)) }
            let fetched = try store.blockingValue(for: item, timeout: .seconds(60), refreshAfter: .seconds(1)) {
                switch event {
                case .clear: try store.clear()
                case .delete: try store.delete(item)
                case .set: try store.set("newer", for: item)
                case .setAndDelete:
                    try store.set("newer", for: item)
                    try store.delete(item)
                case .update: try store.blockingUpdate(item, timeout: nil) { (_: String?) in "newer" }
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

    @Test("an update that came too late undoes no fetch")
    func lateUpdate() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("old", for: item)
        let fetch = try #require(try store.backend.beginFetch(of: item))
        let update = try store.backend.beginUpdate(of: item, lasting: .milliseconds(30))
        _ = try update.read { _ in }
        usleep(100_000)
        var attempt = BackendAttempt(mayUseLastResorts: false)
        #expect { _ = try update.commit([1].span.bytes, timeout: nil, &attempt) } throws: {
            ($0 as? SecretStoreError)?.code == .leaseLost
        }
        #expect(try fetch.store([2].span.bytes, timeout: nil))
    }

    @Test("an update that stores nothing does not undo a fetch", arguments: [false, true], [false, true])
    func emptyUpdate(isInMemory: Bool, inTask isInTask: Bool) async throws {
        let scratch = try ScratchKeyring()
        let store = isInMemory ? SecretStore(backend: InMemoryBackend()) : try scratch.store()
        _ = try await store.value(for: item, timeout: .seconds(60)) { () async throws -> String in
            if isInTask {
                try await store.update(item, timeout: nil) { (_: String?) in nil }
            } else {
                try blocking { _ = try store.blockingUpdate(item, timeout: nil) { (_: String?) in nil } }
            }
            return "fetched"
        }
        #expect(try store.get(item) == "fetched")
    }

    @Test("a refresh that takes longer than the old value lives is kept", arguments: [false, true])
    func outlived(isInMemory: Bool) throws {
        let scratch = try ScratchKeyring()
        let store = isInMemory ? SecretStore(backend: InMemoryBackend()) : try scratch.store()
        // It lives for more than one second, and for two at most.
        try store.set("old", for: item, timeout: .seconds(2))
        let fetched = try store.blockingValue(for: item, timeout: .seconds(60), refreshAfter: .seconds(1)) {
            #expect(becomesTrue(within: 3.1) { (try? store.contains(item)) == false })
            return "fetched"
        }
        #expect(fetched == "fetched")
        #expect(try store.get(item) == "fetched")
    }

    @Test("what was fetched is stored no sooner than all writers have seen that the item is fetched")
    func grace() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let begun = ContinuousClock.now
        let fetch = try #require(try store.backend.beginFetch(of: item))
        let bytes: [UInt8] = [1]
        #expect(try fetch.store(bytes.span.bytes, timeout: nil))
        // The update flag's grace, in which a writer that has not seen the flag still writes.
        #expect(ContinuousClock.now - begun >= .milliseconds(20))
    }

    @Test("a fetch that can't be watched for another reason than a full quota is an error")
    func unwatched() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try Key(scratch.keyring).revoke()
        var attempt = BackendAttempt(mayUseLastResorts: true)
        #expect(throws: SecretStoreError.self) { _ = try store.backend.beginFetch(of: item, &attempt) }
    }

    @Test("an item whose name has no room for a word more is fetched as any other")
    func longName() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let long = ItemIdentity.password(service: String(repeating: "x", count: ItemIdentity.largestDescription - 10))
        for fetched in ["1", "2"] {
            let value = try store.blockingValue(for: long, timeout: .seconds(60), refreshAfter: .seconds(59)) {
                fetched
            }
            #expect(value == "1")
        }
        try store.clear()
        #expect(try store.items().isEmpty)
    }

    @Test("tasks that fetch undo no logout either")
    func asynchronous() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let first = try await store.value(for: item, timeout: .seconds(60)) { () async throws -> String in
            try store.clear()
            return "fetched"
        }
        #expect(first == "fetched")
        #expect(try store.get(item, as: String.self) == nil)
        let second = try await store.value(for: item, timeout: .seconds(60)) { () async throws -> String in "again" }
        #expect(second == "again")
        #expect(try store.get(item) == "again")
        try store.delete(item)
        // Nothing of the fetches is left, once the kernel has collected it.
        let ring = try scratch.keyring.search(keyring: "skr:default")
        #expect(try becomesTrue { () throws in try ring.members().isEmpty })
    }
}
