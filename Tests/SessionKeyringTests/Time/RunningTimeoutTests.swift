import Glibc
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "token")

/// Tests that a write which waits for others stores nothing beyond the end of its timeout.
@Suite("Timeouts of writes that wait", .tags(.kernel))
struct RunningTimeoutTests {
    /// The kernel shows shorter times than a minute by the second.
    private static let timeout = Duration.seconds(50)

    private static func update(_ store: SecretStore) throws {
        try store.blockingUpdate(item, lasting: Lifetime(timeout)) { (_: String?) in "new" }
    }

    /// The writes, each of which returns after the wait.
    private static let writes: [String: @Sendable (SecretStore) async throws -> Void] = [
        "set": { try $0.set("new", for: item, lasting: Lifetime(timeout)) },
        "set in a task": { try await $0.set("new", for: item, lasting: Lifetime(timeout), waiting: .seconds(10)) },
        "update": { try update($0) },
        "update in a task": { try await $0.update(item, lasting: Lifetime(timeout)) { (_: String?) in "new" } },
        "expire": { try $0.expire(item, timeout: timeout) },
        "expire in a task": { try await $0.expire(item, timeout: timeout, waiting: .seconds(10)) },
        "single attempts": { store in
            var wait = Wait()
            var set = try store.setting(item, lasting: Lifetime(timeout))
            try wait.run { effort throws(SecretStoreError) in
                try set.attempt(Array("new".utf8).span.bytes, effort)
            }
        },
    ]

    /// Runs `body` while another writer holds the item for more than two seconds.
    private func whileHeld(in store: SecretStore, _ body: () async throws -> Void) async throws {
        let update = try store.backend.beginUpdate(of: item, lasting: .milliseconds(2_200))
        try await body()
        withExtendedLifetime(update) {}
    }

    @Test("a timeout counts from the call, also if the write first waits for others", arguments: writes.keys.sorted())
    func counts(name: String) async throws {
        let kernel = try ScratchStore()
        try kernel.store.set("old", for: item)
        let write = try #require(Self.writes[name])
        try await whileHeld(in: kernel.store) { try await write(kernel.store) }
        #expect(try #require(try kernel.store.timeLeft(of: item)).atLeast <= Self.timeout - .seconds(2))
    }

    @Test("add counts its timeout from the call too")
    func add() async throws {
        let kernel = try ScratchStore()
        try await whileHeld(in: kernel.store) {
            try kernel.store.add("new", for: item, lasting: Lifetime(Self.timeout))
        }
        #expect(try #require(try kernel.store.timeLeft(of: item)).atLeast <= Self.timeout - .seconds(2))
    }

    /// Stores a value that was fetched with this lifetime, while another writer holds the item.
    private func keep(_ lifetime: RunningLifetime, in store: SecretStore) async throws {
        let flight = try SingleFlight(
            in: store.backend, item: item, leaseDuration: .seconds(60), .dueOrUnusable, failureTimeout: nil)
        var (wait, turn) = (Wait(), FetchTurn(of: flight))
        let next = try wait.run { effort throws(SecretStoreError) in
            try turn.attempt(effort) { () throws(SecretStoreError) -> Found<Int>? in nil }
        }
        guard case .fetch(let lease, _, _) = next else { throw SecretStoreError(.unavailable, item: item) }
        try await whileHeld(in: store) {
            _ = try flight.keep([UInt8](1...9).span.bytes, for: lifetime, under: lease)
        }
    }

    @Test("a fetched value, and how long it is usable, count from the end of the fetch")
    func fetched() async throws {
        let kernel = try ScratchStore()
        try await keep(
            try RunningLifetime(Lifetime(Self.timeout, usableFor: .seconds(40)), of: item), in: kernel.store)
        #expect(try #require(try kernel.store.timeLeft(of: item)).atLeast <= Self.timeout - .seconds(2))
        guard case .until(let end) = try kernel.store.facts(of: item)?.usability else {
            Issue.record("it is usable without an end")
            return
        }
        #expect(Int(end) - 1_000 * time(nil) <= 39_000)
    }

    @Test("a fetched value that expires during the wait is not stored")
    func expired() async throws {
        let kernel = try ScratchStore()
        await #expect {
            try await keep(try RunningLifetime(.seconds(1), of: item), in: kernel.store)
        } throws: {
            ($0 as? SecretStoreError)?.code == .contended
        }
        #expect(try !kernel.store.contains(item))
    }

    @Test("without a wait, the key has the whole timeout")
    func immediate() {
        #expect(RunningTimeout(.longest).left == .longest)
        #expect(!RunningTimeout(.longest).hasPassed)
    }
}
