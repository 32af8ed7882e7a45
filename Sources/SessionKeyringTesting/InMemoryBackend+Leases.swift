import Keyutils
package import SessionKeyring

extension InMemoryBackend {
    package func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        guard let lease = grant(State.leaseName(of: item), lasting: duration) else {
            return .blocked(SecretStoreError(.blocked(.itemLease), item: item))
        }
        return .done(InMemoryUpdate(backend: self, item: item, lease: lease))
    }

    package func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        .done(InMemoryFetch(backend: self, item: item))
    }

    package func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        guard let lease = grant("lease:" + name, lasting: duration) else {
            return .blocked(SecretStoreError(.blocked(.namedLease)))
        }
        return .done(lease)
    }

    package func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool {
        withState { state, time in state.leases["lease:" + name].map { time < $0.deadline } ?? false }
    }

    package func isBeingWritten(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        withState { state, time in state.isBeingUpdated(item, at: time) }
    }

    package func leaseReport(_ name: String) -> LeaseReport? { nil }

    package var place: StorePlace? { nil }

    private func grant(_ name: String, lasting duration: Duration) -> InMemoryLease? {
        withState { state, time in
            if let present = state.leases[name], time < present.deadline { return nil }
            state.lastFencingNumber += 1
            state.leases[name] = Grant(number: state.lastFencingNumber, deadline: time + duration)
            return InMemoryLease(backend: self, name: name, fencingNumber: state.lastFencingNumber)
        }
    }

    struct Grant: Sendable {
        let number: UInt64
        var deadline: ContinuousClock.Instant
    }
}

final class InMemoryLease: LeaseHandle {
    let fencingNumber: UInt64
    private let backend: InMemoryBackend
    private let name: String

    init(backend: InMemoryBackend, name: String, fencingNumber: UInt64) {
        self.backend = backend
        self.name = name
        self.fencingNumber = fencingNumber
    }

    deinit {
        _ = release()
    }

    var timeLeft: Duration {
        backend.withState { state, time in held(in: state, at: time).map { $0.deadline - time } ?? .zero }
    }

    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool {
        backend.withState { state, time in
            guard held(in: state, at: time) != nil else { return false }
            state.leases[name]?.deadline = time + duration
            return true
        }
    }

    func name(command processID: Int32) throws(SecretStoreError) -> Bool { false }

    func release() -> Bool {
        backend.withState { state, time in
            guard held(in: state, at: time) != nil else { return false }
            state.leases[name] = nil
            return true
        }
    }

    /// The grant, if this lease still holds it.
    func held(in state: InMemoryBackend.State, at time: ContinuousClock.Instant) -> InMemoryBackend.Grant? {
        guard let grant = state.leases[name], grant.number == fencingNumber, time < grant.deadline else { return nil }
        return grant
    }
}

/// The right to change an item, for which other writers wait; a `clear` doesn't.
private final class InMemoryUpdate: ItemUpdate {
    private let backend: InMemoryBackend
    private let item: ItemIdentity
    private let lease: InMemoryLease
    private var seen: InMemoryBackend.Entry?

    init(backend: InMemoryBackend, item: ItemIdentity, lease: InMemoryLease) {
        self.backend = backend
        self.item = item
        self.lease = lease
    }

    func read(_ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        seen = backend.live(item)
        guard let seen else { return false }
        seen.secret.bytes.withBytes(body)
        return true
    }

    var facts: ItemFacts? { seen?.facts }

    func commit(
        _ bytes: RawSpan?, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        var entry: InMemoryBackend.Entry?
        if let bytes { entry = try backend.entry(bytes, for: item, timeout: timeout, facts) }
        let isCommitted: Bool? = backend.withState { state, time in
            guard lease.held(in: state, at: time) != nil else { return nil }
            let present = state.live(item, at: time)
            guard present?.secret === seen?.secret, present?.deadline == seen?.deadline else { return false }
            state.change(item, to: entry)
            return true
        }
        guard let isCommitted else { throw SecretStoreError(.leaseLost, item: item) }
        return .done(isCommitted)
    }
}

/// A fetch of an item, whose value is stored only if the item has not changed since the fetch began.
private final class InMemoryFetch: ItemFetch {
    private let backend: InMemoryBackend
    private let item: ItemIdentity
    private let before: UInt64
    private let number: UInt64
    private let wasRefused: Bool

    init(backend: InMemoryBackend, item: ItemIdentity) {
        self.backend = backend
        self.item = item
        (before, number, wasRefused) = backend.withState { state, time in
            (state.changes(of: item), state.beginFetch(of: item), state.live(item, at: time)?.isRefused == true)
        }
    }

    func renew() {}

    func isUntouched(_ key: Int32?) throws(SecretStoreError) -> Bool {
        backend.withState { state, _ in isUntouched(in: state) }
    }

    /// A later fetch ends an earlier one's right to store, as its watch does in the kernel.
    private func isUntouched(in state: InMemoryBackend.State) -> Bool {
        state.changes(of: item) == before && state.fetches[item] == number
    }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage> {
        let entry = try backend.entry(bytes, for: item, timeout: timeout, facts)
        return backend.change(item) { state, time in
            guard isUntouched(in: state) else { return .nothing }
            // A value that was refused during its fetch is not stored again.
            if !wasRefused, let old = state.live(item, at: time), old.isRefused,
                old.secret.bytes.isEqual(to: entry.secret.bytes)
            {
                return .nothing
            }
            state.change(item, to: entry)
            return .all
        }
    }
}
