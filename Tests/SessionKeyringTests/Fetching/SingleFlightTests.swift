import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

/// Single turns; what comes of them for those who want a value is tested with the calls for it.
@Suite("A turn to fetch")
struct SingleFlightTests {
    private let item = ItemIdentity.password(service: "api")

    /// Takes the turn to fetch the item, which is not there.
    private func takeTurn(_ flight: SingleFlight) throws -> FetchLease {
        var attempt = BackendAttempt(mayUseLastResorts: false)
        let turn = try flight.nextTurn(&attempt) { () throws(SecretStoreError) -> Found<Int>? in nil }
        guard case .fetch(let lease, old: nil, isOldUsable: false) = turn else {
            throw SecretStoreError(.unavailable, item: item)
        }
        return lease
    }

    private func flight(_ store: SecretStore) throws -> SingleFlight {
        try SingleFlight(store: store, item: item, leaseDuration: .seconds(60), .never, failureTimeout: .seconds(600))
    }

    private func keep(_ lease: FetchLease, _ flight: SingleFlight) throws -> Bool {
        let bytes: [UInt8] = [1]
        return try flight.keep(
            bytes.span.bytes, for: Lifetime(timeout: nil, refreshAfter: nil, of: item), under: lease)
    }

    @Test(
        "nobody fetches for longer or shorter than a lease can last",
        arguments: [Duration.milliseconds(9), .seconds(3_601)])
    func refused(duration: Duration) {
        #expect(throws: SecretStoreError(.leaseDuration)) {
            _ = try SingleFlight(
                store: SecretStore(backend: InMemoryBackend()), item: item, leaseDuration: duration, .never)
        }
    }

    @Test("what was fetched is stored, and a failure that was remembered meanwhile is forgotten")
    func forgetsFailure() throws {
        let store = SecretStore(backend: InMemoryBackend())
        let flight = try flight(store)
        let lease = try takeTurn(flight)
        flight.rememberFailure(under: lease)
        #expect(try store.backend.contains(item.failureSentinel))
        #expect(try keep(lease, flight))
        #expect(try store.get(item) as SecretBytes? != nil)
        #expect(try !store.backend.contains(item.failureSentinel))
    }

    @Test("a failure is remembered by those who hold the lease only, and stops those who come later")
    func remembersFailure() throws {
        let store = SecretStore(backend: InMemoryBackend())
        let flight = try flight(store)
        flight.rememberFailure(under: .none)
        let lease = try takeTurn(flight)
        flight.rememberFailure(under: lease)
        _ = lease.release()
        #expect { _ = try takeTurn(flight) } throws: { ($0 as? SecretStoreError)?.code == .fetchFailed }
    }

    @Test("what was fetched without a lease is not stored, and that is no error")
    func withoutLease() throws {
        let store = SecretStore(backend: InMemoryBackend())
        #expect(try keep(.none, flight(store)))
        #expect(try store.get(item) as SecretBytes? == nil)
    }

    @Test("what was fetched without a watch, for lack of quota, is not stored, and that is an error")
    func withoutWatch() throws {
        let store = SecretStore(backend: NoWatches())
        let flight = try flight(store)
        let lease = try takeTurn(flight)
        #expect { _ = try keep(lease, flight) } throws: { ($0 as? SecretStoreError)?.code == .quotaExceeded }
        #expect(try store.get(item) as SecretBytes? == nil)
    }
}

/// A backend that has no room for another watch.
private struct NoWatches: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()

    func beginFetch(
        of item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> (any ItemFetch)? { nil }
}
