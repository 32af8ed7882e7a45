import Glibc
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

/// Single turns; what comes of them for those who want a value is tested with the calls for it.
@Suite("A turn to fetch", .tags(.kernel, .threads))
struct SingleFlightTests {
    private let item = ItemIdentity.password(service: "api")
    private let cached = ItemIdentity.cached("date")
    private let printed: [UInt8] = [1]

    private func absent() throws(SecretStoreError) -> Found<Int>? { nil }

    /// Takes the turn to fetch the item, which is not there.
    private func takeTurn(_ flight: SingleFlight) throws -> FetchLease {
        var turn = FetchTurn(of: flight)
        guard
            case .fetch(let lease, old: nil, isOldUsable: false) =
                try turn.attempt(Effort(mayUseLastResorts: false), read: absent).get()
        else {
            throw SecretStoreError(.unavailable, item: item)
        }
        return lease
    }

    private func flight(_ store: SecretStore) throws -> SingleFlight {
        try SingleFlight(
            in: store.backend, item: item, leaseDuration: .seconds(60), .never, failureTimeout: .seconds(600))
    }

    private func cachedFlight(_ store: SecretStore) throws -> SingleFlight {
        try SingleFlight(in: store.backend, item: cached, leaseDuration: .seconds(60), .never)
    }

    private func keep(_ lease: FetchLease, _ flight: SingleFlight) throws -> Bool {
        try flight.keep(printed.span.bytes, for: RunningLifetime(.scope, of: item), under: lease)
    }

    @Test(
        "nobody fetches for longer or shorter than a lease can last",
        arguments: [Duration.milliseconds(9), .seconds(3_601)])
    func refused(duration: Duration) {
        #expect(throws: SecretStoreError(.leaseDuration)) {
            _ = try SingleFlight(
                in: InMemoryBackend(), item: item, leaseDuration: duration, .never)
        }
    }

    @Test("a failure is remembered by those who hold the lease only, and stops those who come later")
    func remembersFailure() throws {
        let store = SecretStore(backend: InMemoryBackend())
        let flight = try flight(store)
        flight.rememberFailure(under: .none)
        let lease = try takeTurn(flight)
        flight.rememberFailure(under: lease)
        // The failed caller still holds its lease here.
        #expect { _ = try takeTurn(flight) } throws: { ($0 as? SecretStoreError)?.code == .fetchFailed }
        _ = lease.release()
        #expect { _ = try takeTurn(flight) } throws: { ($0 as? SecretStoreError)?.code == .fetchFailed }
        var forced = FetchTurn(of: flight, force: true)
        #expect {
            _ = try forced.attempt(Effort(mayUseLastResorts: false), read: absent)
        } throws: {
            ($0 as? SecretStoreError)?.code == .fetchFailed
        }
    }

    @Test("a fetcher that has lost its lease remembers no failure", arguments: Place.allCases, [false, true])
    func failureWithoutLease(place: Place, isReleased: Bool) throws {
        let kernel = try ScratchStore()
        let store = kernel.store(in: place)
        let flight = try SingleFlight(
            in: store.backend, item: item, leaseDuration: .milliseconds(20), .never, failureTimeout: .seconds(600))
        var (wait, turn) = (Wait(), FetchTurn(of: flight))
        let next = try wait.run { effort throws(SecretStoreError) in try turn.attempt(effort, read: absent) }
        guard case .fetch(let lease, _, _) = next else { throw Refusal() }
        if isReleased { _ = lease.release() } else { usleep(30_000) }
        flight.rememberFailure(under: lease)
        #expect(try !store.contains(item.failure))
    }

    @Test("giving up reports leaseHeld if another caller is fetching, and contended otherwise")
    func inVain() throws {
        let flight = try flight(SecretStore(backend: InMemoryBackend()))
        for (reason, code) in [(.namedLease, .leaseHeld), (.itemLease, .contended)]
            as [(Blockage, SecretStoreError.Code)]
        {
            #expect {
                _ = try flight.turn(givingUp: SecretStoreError(.blocked(reason), item: item), read: absent)
            } throws: {
                ($0 as? SecretStoreError)?.code == code
            }
        }
    }

    @Test("the placeholder for a lease that does not fit the quota holds nothing")
    func none() throws {
        let none = FetchLease.none
        #expect(none.fencingNumber == 0)
        #expect(none.timeLeft == .zero && !none.canStore)
        #expect(try !none.renew(lasting: .seconds(1)))
        #expect(none.release())
        let lease = try takeTurn(flight(SecretStore(backend: InMemoryBackend())))
        #expect(lease.fencingNumber > 0)
    }

    @Test("what was fetched without a lease is not stored, and that is no error")
    func withoutLease() throws {
        let store = SecretStore(backend: InMemoryBackend())
        #expect(try keep(.none, flight(store)))
        #expect(try store.bytes(of: item) == nil)
    }

    @Test("what was fetched without a watch, for lack of quota, is not stored, and that is an error")
    func withoutWatch() throws {
        let store = SecretStore(backend: NoWatches())
        let flight = try flight(store)
        let lease = try takeTurn(flight)
        #expect { _ = try keep(lease, flight) } throws: { ($0 as? SecretStoreError)?.code == .quotaExceeded }
        #expect(try store.bytes(of: item) == nil)
    }

    enum Loss: CaseIterable { case lease, item }

    @Test(
        "neither a fetched value nor its command is stored if the lease is lost or the item changes",
        arguments: Loss.allCases)
    func lost(loss: Loss) throws {
        let store = SecretStore(backend: InMemoryBackend())
        let flight = try cachedFlight(store)
        let lifetime = try RunningLifetime(.scope, of: cached)
        let lease = try takeTurn(flight)
        switch loss {
        case .lease: _ = lease.release()
        case .item: try store.set("other", for: cached)
        }
        #expect(try flight.keep(printed.span.bytes, for: lifetime, under: lease, of: 7))
        #expect(try store.get(cached, as: String.self) == (loss == .item ? "other" : nil))
        #expect(try store.facts(of: cached) == nil)
        guard loss == .lease else { return }
        // An earlier attempt may have changed something.
        let effort = Effort(mayUseLastResorts: false, isFirst: false)
        #expect {
            _ = try flight.store(printed.span.bytes, for: lifetime, under: lease, effort)
        } throws: {
            ($0 as? SecretStoreError)?.code == .leaseLost
        }
    }

    @Test(
        "a fetched value is stored if only the item's lease is lost once, not if the fetch's is",
        arguments: [false, true])
    func itemLeaseLost(losesFetch: Bool) throws {
        let store = SecretStore(backend: LosingBackend(losesFetch: losesFetch))
        let flight = try flight(store)
        let lease = try takeTurn(flight)
        if losesFetch {
            #expect { _ = try keep(lease, flight) } throws: { ($0 as? SecretStoreError)?.code == .contended }
        } else {
            #expect(try keep(lease, flight))
        }
        #expect(try store.contains(item) == !losesFetch)
    }

    @Test(
        "an attempt that can't watch the item keeps its lease for the next one, or takes it again",
        arguments: [false, true])
    func heldBetweenAttempts(isLost: Bool) throws {
        let backend = LateWatch()
        var turn = FetchTurn(of: try flight(SecretStore(backend: backend)))
        let effort = Effort(mayUseLastResorts: false)
        let blocked = try turn.attempt(effort, read: absent)
        #expect(throws: SecretStoreError(.contended, item: item)) { _ = try blocked.get() }
        #expect(try backend.isLeaseHeld(item.fetchLeaseName))
        if isLost { _ = backend.leases.withLock { $0.first }?.release() }
        let next = try turn.attempt(Effort(mayUseLastResorts: false, isFirst: false), read: absent)
        guard case .done(.fetch(let lease, old: nil, isOldUsable: false)) = next else {
            Issue.record("it is not to be fetched")
            return
        }
        #expect(lease.timeLeft > .zero)
        #expect(backend.leases.withLock { $0.count } == (isLost ? 2 : 1))
    }

    @Test("a command is known only for the value it printed")
    func command() throws {
        let store = SecretStore(backend: InMemoryBackend())
        let flight = try cachedFlight(store)
        #expect(try store.facts(of: cached) == nil)
        let lease = try takeTurn(flight)
        let lifetime = try RunningLifetime(.scope, of: cached)
        #expect(try flight.keep(printed.span.bytes, for: lifetime, under: lease, of: 7))
        #expect(try store.facts(of: cached)?.command == 7)
        try store.set(printed, for: cached)
        #expect(try store.facts(of: cached) == nil)
    }

    @Test(
        "a fetch is not begun if the item changed after its watch was placed", arguments: Place.allCases, [false, true])
    func changedEarly(place: Place, isForced: Bool) throws {
        let kernel = try ScratchStore()
        let store = kernel.store(in: place)
        var turn = FetchTurn(of: try cachedFlight(store), force: isForced)
        var reads = 0
        func attempt() throws -> Outcome<SingleFlight.Turn<Int>> {
            try turn.attempt(Effort()) { () throws(SecretStoreError) in
                reads += 1
                // Without force, the first read is before the watch.
                if reads == (isForced ? 1 : 2) { try store.set("new", for: cached) }
                return nil
            }
        }
        #expect { _ = try attempt().get() } throws: { ($0 as? SecretStoreError)?.blockage == .itemLease }
        guard case .fetch(let lease, nil, false) = try attempt().get() else { throw Refusal() }
        #expect(lease.canStore)
    }

    @Test("keeping an output retries contention, reports missing facts, and throws if it is forbidden")
    func outcomes() throws {
        let backend = ChosenOutcomes()
        let store = SecretStore(backend: backend)
        let flight = try cachedFlight(store)
        let lifetime = try RunningLifetime(.seconds(600), of: cached)
        func keep() throws -> Bool {
            let lease = try takeTurn(flight)
            return try flight.keep(printed.span.bytes, for: lifetime, under: lease, of: 7)
        }
        backend.next.withLock { $0 = { _ in .blocked(SecretStoreError(.contended)) } }
        #expect(try keep())
        #expect(try store.facts(of: cached)?.command == 7)
        backend.next.withLock { $0 = { _ in .done(.valueAlone) } }
        #expect(try !keep(), "it is kept without the facts")
        backend.next.withLock {
            $0 = { item throws(SecretStoreError) in throw SecretStoreError(.forbidden, item: item) }
        }
        #expect { _ = try keep() } throws: { ($0 as? SecretStoreError)?.code == .forbidden }
    }
}

/// A backend whose next fetch has the outcome in `next`.
private struct ChosenOutcomes: ForwardingBackend {
    typealias Next = @Sendable (ItemIdentity) throws(SecretStoreError) -> Outcome<FetchStorage>

    let whole: any SecretBackend = InMemoryBackend()
    let next = Locked<Next?>(nil)

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        guard let fetch = try whole.beginFetch(of: item, reserving: size, effort).get() else { return .done(nil) }
        return .done(ChosenFetch(fetch, of: item, next))
    }
}

private final class ChosenFetch: ItemFetch {
    private let whole: any ItemFetch
    private let item: ItemIdentity
    private let next: Locked<ChosenOutcomes.Next?>

    init(_ whole: any ItemFetch, of item: ItemIdentity, _ next: Locked<ChosenOutcomes.Next?>) {
        (self.whole, self.item, self.next) = (whole, item, next)
    }

    func renew() { whole.renew() }

    func isUntouched(_ key: Int32?) throws(SecretStoreError) -> Bool { try whole.isUntouched(key) }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage> {
        if let outcome = next.exchange(nil) { return try outcome(item) }
        return try whole.store(bytes, timeout: timeout, facts, effort)
    }
}

/// A backend that blocks the first attempt to watch an item, and keeps the leases that it grants.
private struct LateWatch: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let leases = Locked<[any LeaseHandle]>([])
    let isBlocked = Locked(true)

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        let lease = try whole.takeLease(name, lasting: duration, effort).get()
        leases.withLock { $0.append(lease) }
        return .done(lease)
    }

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        if isBlocked.exchange(false) { return .blocked(SecretStoreError(.blocked(.itemLease), item: item)) }
        return try whole.beginFetch(of: item, reserving: size, effort)
    }
}

/// A backend that has no room for another watch.
private struct NoWatches: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> { .done(nil) }
}

/// A backend that loses the item's lease once while a fetch stores a value; optionally also the fetch's lease.
private struct LosingBackend: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let losesFetch: Bool
    let lease = Locked<(any LeaseHandle)?>(nil)

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        let taken = try whole.takeLease(name, lasting: duration, effort).get()
        lease.withLock { $0 = taken }
        return .done(taken)
    }

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        guard let fetch = try whole.beginFetch(of: item, reserving: size, effort).get() else { return .done(nil) }
        return .done(LosingFetch(fetch, of: item, losing: losesFetch ? lease : nil))
    }
}

private final class LosingFetch: ItemFetch {
    private let whole: any ItemFetch
    private let item: ItemIdentity
    private let lost: Locked<(any LeaseHandle)?>?
    private let isFirst = Locked(true)

    init(_ whole: any ItemFetch, of item: ItemIdentity, losing lost: Locked<(any LeaseHandle)?>?) {
        (self.whole, self.item, self.lost) = (whole, item, lost)
    }

    func renew() { whole.renew() }

    func isUntouched(_ key: Int32?) throws(SecretStoreError) -> Bool { try whole.isUntouched(key) }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage> {
        if isFirst.exchange(false) {
            _ = lost?.withLock { $0 }?.release()
            throw SecretStoreError(.leaseLost, item: item)
        }
        return try whole.store(bytes, timeout: timeout, facts, effort)
    }
}
