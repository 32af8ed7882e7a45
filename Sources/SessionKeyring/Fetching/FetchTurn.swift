/// Waiting for a turn to fetch an item.
package struct FetchTurn {
    private let flight: SingleFlight
    /// Whether an existing value is ignored.
    private let isForced: Bool
    /// The lease that an earlier attempt has taken.
    private var lease: (any LeaseHandle)?

    package init(of flight: SingleFlight, force isForced: Bool = false) {
        (self.flight, self.isForced) = (flight, isForced)
    }

    /// Releases the lease that earlier attempts have taken.
    package mutating func releaseLease() {
        _ = lease?.release()
        lease = nil
    }

    /// Decides what the caller does now, in one attempt.
    ///
    /// - Parameter read: reads the item.
    /// - Throws: ``SecretStoreError`` with `fetchFailed` if a recent failure is remembered.
    package mutating func attempt<Value>(
        _ effort: Effort, read: SingleFlight.Read<Value>
    ) throws(SecretStoreError) -> Outcome<SingleFlight.Turn<Value>> {
        if !isForced, let found = try read() {
            switch flight.standing(of: found.hash) {
            case .good: return .done(.take(found.value))
            case .due: return .done(try dueTurn(found.value, effort, read))
            case .unusable: break
            }
        }
        try flight.checkFailure()
        return try .of { () throws(SecretStoreError) in
            // Many callers may miss the item at the same time. This look keeps them from staging leases that they
            // can't get.
            if lease == nil, try flight.isFetched() { throw SecretStoreError(.blocked(.namedLease), item: flight.item) }
            let lease = try takeLease(effort)
            if isForced { return .fetch(lease, old: try read()?.value, isOldUsable: false) }
            return try flight.turn(under: lease, read)
        }
    }

    /// Decides what the caller of a due value does.
    ///
    /// The caller has a usable value, so no problem here is worth an error. The next caller tries again.
    private mutating func dueTurn<Value>(
        _ value: Value, _ effort: Effort, _ read: SingleFlight.Read<Value>
    ) throws(SecretStoreError) -> SingleFlight.Turn<Value> {
        guard !flight.hasFailed, (try? flight.isFetched()) == false else { return .take(value) }
        let taken: FetchLease
        do throws(SecretStoreError) {
            taken = try takeLease(effort)
        } catch {
            // This process is replacing the leases' ring, and must wait before the next step. Complete the
            // replacement, because perhaps nobody else would.
            if case .until = error.blockage { throw error }
            releaseLease()
            return .take(value)
        }
        return try flight.turn(under: taken, read)
    }

    private mutating func takeLease(_ effort: Effort) throws(SecretStoreError) -> FetchLease {
        if lease.map({ $0.timeLeft <= .zero }) ?? true { lease = try flight.takeLease(effort).get() }
        let fetch = try flight.watch(effort).get()
        guard let taken = lease.take() else { throw SecretStoreError(.blocked(.namedLease), item: flight.item) }
        return FetchLease(taken, watching: fetch, refusal: try flight.refusal())
    }
}
