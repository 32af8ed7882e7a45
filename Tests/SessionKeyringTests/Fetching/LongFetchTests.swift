import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "long")

/// Tests that a fetch is watched for as long as its lease is renewed; the watch is made shorter, to save an hour.
@Suite("Long fetches", .tags(.kernel))
struct LongFetchTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    /// Takes the turn to fetch the item.
    private func begin(_ flight: SingleFlight) throws -> FetchLease {
        var (wait, turn) = (Wait(), FetchTurn(of: flight, force: true))
        let next = try wait.run { effort throws(SecretStoreError) in
            try turn.attempt(effort) { () throws(SecretStoreError) -> Found<Int>? in nil }
        }
        guard case .fetch(let lease, _, _) = next else { throw SecretStoreError(.unavailable, item: item) }
        return lease
    }

    private func flight() throws -> SingleFlight {
        try SingleFlight(in: store.backend, item: item, leaseDuration: .seconds(60), .never)
    }

    /// Stores the fetched value, and returns whether it is there.
    private func isKept(by flight: SingleFlight, under lease: FetchLease) throws -> Bool {
        _ = try flight.keep(
            [UInt8](1...9).span.bytes, for: RunningLifetime(.scope, of: item), under: lease)
        return try store.get(item) == [UInt8](1...9)
    }

    @Test("the watch is renewed with the lease, so that the value is kept")
    func renewed() async throws {
        let flight = try flight()
        let lease = try begin(flight)
        let second = try KeyTimeout(.seconds(1))
        #expect(try store.backend.expire(item.watch, timeout: second, Effort()).get())
        #expect(try lease.renew(lasting: .seconds(60)))
        try await Task.sleep(for: .milliseconds(1_100))
        #expect(try isKept(by: flight, under: lease))
    }

    @Test("the end of an old value doesn't count as a change, even after the kernel has forgotten its key")
    func expired() async throws {
        try store.set("old", for: item, lasting: .seconds(1))
        let flight = try flight()
        let lease = try begin(flight)
        try await Task.sleep(for: .milliseconds(1_100))
        #expect(try lease.renew(lasting: .seconds(60)))
        // The kernel removes the link five minutes later.
        let ring = try kernel.scratch.keyring.search(keyring: "skr:default")
        let table = try KeyTable.snapshot()
        let old = try #require(try ring.members().first { table[$0]?.expiry == .expired })
        try ring.unlink(Key(old))
        #expect(try becomesTrue { try keyringError { _ = try Key(old).describe() }?.code == .notFound })
        #expect(try isKept(by: flight, under: lease))
    }
}
