import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = oauthItem
private let token = OAuthToken(access: "a", refresh: "r")

@Suite("Values that are refreshed at most once", .tags(.kernel, .threads), .aheadOfOthers)
struct RefreshedValueTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("a closure that refuses the old value is called again without it", arguments: Place.allCases)
    func refusedOldValue(place: Place) async throws {
        let store = kernel.store(in: place)
        try store.set("dead", for: item)
        let calls = Locked([String?]())
        @Sendable func value() async throws -> String {
            try await store.refreshedValue(for: item, as: String.self) { old in
                calls.withLock { $0.append(old) }
                if old != nil { throw RefusedOldValue() }
                return ("new", .token(livingFor: .seconds(60)))
            }
        }
        #expect(try await value() == "new")
        #expect(try await value() == "new")
        #expect(calls.withLock { $0 } == ["dead", nil])
    }

    @Test("a closure that refuses a missing old value has failed", arguments: Place.allCases)
    func refusedNothing(place: Place) async throws {
        let store = kernel.store(in: place)
        let calls = Locked(0)
        await #expect(throws: RefusedOldValue.self) {
            try await store.refreshedValue(for: item, as: String.self) { _ in
                calls.withLock { $0 += 1 }
                throw RefusedOldValue()
            }
        }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("a fetch that asks for its own item gets an error at once, unlike a task that outlives the fetch")
    func insideFetch() async throws {
        let store = store
        let outliving = Locked<Task<String, any Error>?>(nil)
        let gate = Gate()
        @Sendable func ask() async throws -> String {
            try await store.refreshedValue(for: item, as: String.self) { _ in ("inner", .seconds(60)) }
        }
        let forms: [@Sendable (@escaping @Sendable () async throws -> Void) async throws -> String] = [
            { body in
                try await store.value(for: item, as: String.self) {
                    try await body()
                    return "outer"
                }
            },
            { body in
                try await store.refreshedValue(for: item, as: String.self) { _ in
                    try await body()
                    return ("outer", .seconds(60))
                }
            },
        ]
        for form in forms {
            try store.clear()
            let value = try await form {
                await #expect(throws: SecretStoreError(.unexpected, item: item)) { _ = try await ask() }
                await #expect(throws: SecretStoreError(.unexpected, item: item)) {
                    _ = try await Task { try await ask() }.value
                }
                // Another item is not affected.
                _ = try await store.value(for: .password(service: "other"), as: String.self) { "x" }
            }
            #expect(value == "outer")
        }
        try store.clear()
        _ = try await store.value(for: item, as: String.self) {
            let task = Task {
                await gate.wait()
                return try await ask()
            }
            outliving.withLock { $0 = task }
            return "outer"
        }
        try store.clear()
        gate.open()
        #expect(try await outliving.withLock { $0 }?.value == "inner")
    }

    @Test("while a fetch waits for its turn, its last caller's cancellation ends it")
    func cancelledBefore() async throws {
        let store = store
        let lease = try store.backend.takeLease("fetch:" + item.keyDescription, lasting: .seconds(60))
        let calls = Locked(0)
        let caller = Task {
            try await store.refreshedValue(for: item, as: String.self) { _ in
                calls.withLock { $0 += 1 }
                return ("fetched", .scope)
            }
        }
        try await Task.sleep(for: .milliseconds(50))
        caller.cancel()
        await #expect(throws: CancellationError.self) { _ = try await caller.value }
        _ = lease.release()
        #expect(try await store.refreshedValue(for: item, as: String.self) { _ in ("next", .scope) } == "next")
        #expect(calls.withLock { $0 } == 0)
    }

    @Test("a value that is larger than its room is stored if the quota has room for it", arguments: [0, 7_000])
    func larger(options: Int) async throws {
        let large = String(repeating: "x", count: 6_000)
        let stored = try await store.refreshedValue(
            for: item, as: String.self, options: FetchOptions(firstValueSize: options)
        ) { _ in (large, .token(livingFor: .seconds(60))) }
        #expect(stored == large)
        #expect(try store.get(item) == large)
        #expect(try store.facts(of: item)?.freshness != .never)
    }

    @Test("an empty value is stored in the room for a larger one")
    func empty() async throws {
        #expect(try await store.refreshedValue(for: item, as: String.self) { _ in ("", .seconds(60)) } == "")
        #expect(try store.get(item) == "")
    }

    @Test("the keys that were reserved do not remain, whatever the end of the fetch")
    func leftOver() async throws {
        let names: Set = [item.keyDescription, item.companion.keyDescription, item.failure.keyDescription]
        for isStored in [true, false] {
            _ = try? await store.refreshedValue(for: item, as: String.self) { _ in
                if !isStored { throw Refusal() }
                return ("fetched", .scope)
            }
            try store.makeDue(item)
        }
        let ring = try kernel.scratch.keyring.search(keyring: "skr:default")
        let leases = try kernel.scratch.keyring.search(keyring: NamespaceRings.leasesName)
        #expect(try becomesTrue { try Set(ring.members().compactMap { try? Key($0).describe().name }) == names })
        #expect(try becomesTrue { try leases.members().count == 1 }, "the update flag")
    }

    @Test(
        "in a session that has ended, a value is fetched and not stored, and nothing is refreshed", .tags(.root),
        .enabled(if: isRoot))
    func revokedSession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_291, with: item)
            try Key(Keyring.resolve(.sessionKeyring)).revoke()
            let value = try await store.value(for: item, as: String.self) { "fetched" }
            succeed(3, value == "fetched")
            let error = await thrown {
                try await store.refreshedValue(for: item, as: String.self) { _ in ("refreshed", .scope) }
            }
            succeed(4, (error as? SecretStoreError)?.code == .sessionRevoked)
            exit(0)
        }
    }
}

private func thrown(_ body: () async throws -> String) async -> (any Error)? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
