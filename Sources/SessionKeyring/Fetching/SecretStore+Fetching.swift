import Keyutils

extension SecretStore {
    /// In a task.
    package func value<Value: Sendable>(
        for item: ItemIdentity, _ policy: FetchPolicy, _ coding: @escaping @Sendable () -> ValueCoding<Value>,
        fetch: @escaping @Sendable (Value?) async throws -> Fetched<Value>
    ) async throws -> Value {
        try Self.checkLease(policy.limit)
        let flight = try SingleFlight(
            store: self, item: item, leaseDuration: policy.leaseDuration, policy.refreshing,
            failureTimeout: policy.failureTimeout)
        while true {
            try Task.checkCancellation()
            if let value = try flight.good(reading(item, coding())) { return value }
            let part = SharedFetch.join(FetchKey(self, item, Value.self))
            let (shared, isFirst) = (part.fetch, part.isFirst)
            if isFirst {
                shared.start { try await self.valueForAll(of: flight, policy, coding, for: shared, fetch: fetch) }
            } else if let value = try flight.usable(reading(item, coding())) {
                return value
            }
            switch await shared.end(for: part) {
            case .found(let value as Value, let isForAll) where isForAll || isFirst: return value
            case .unkept(let encoded): if let value = encoded.decoded(coding()) { return value }
            case .failed(let error): throw error
            case .found, .unknown: continue
            }
        }
    }

    /// On the calling thread.
    package func blockingValue<Value>(
        for item: ItemIdentity, _ policy: FetchPolicy, _ coding: ValueCoding<Value>,
        fetch: (Value?) throws -> Fetched<Value>
    ) throws -> Value {
        try Self.checkLease(policy.limit)
        // Nobody renews the lease of a fetch that may hang; it is released at the limit, before it ends.
        let flight = try SingleFlight(
            store: self, item: item, leaseDuration: min(policy.limit + .seconds(1), RingLease.longest),
            policy.refreshing,
            failureTimeout: policy.failureTimeout)
        while true {
            if let value = try flight.good(reading(item, coding)) { return value }
            let part = SharedFetch.join(FetchKey(self, item, Value.self))
            if part.isFirst {
                return try part.fetch.finishing {
                    try valueOnThisThread(of: flight, policy, coding, for: part.fetch, fetch: fetch)
                }
            }
            if let value = try flight.usable(reading(item, coding)) { return value }
            switch part.fetch.waitForEnd(for: part) {
            case .found(let value as Value, isForAll: true): return value
            case .unkept(let encoded): if let value = encoded.decoded(coding) { return value }
            case .failed(let error): throw error
            case .found, .unknown: continue
            }
        }
    }

    /// Waits for its turn and fetches, in a task that belongs to all who want the value.
    private func valueForAll<Value: Sendable>(
        of flight: SingleFlight, _ policy: FetchPolicy, _ coding: @escaping @Sendable () -> ValueCoding<Value>,
        for shared: SharedFetch, fetch: (Value?) async throws -> Fetched<Value>
    ) async throws -> SharedFetch.End {
        // What may be used in place of what was not fetched: what is there then, for it may have been refused meanwhile.
        let usable: @Sendable () -> SharedFetch.End? = {
            guard let value = (try? flight.usable(self.reading(flight.item, coding()))) ?? nil else { return nil }
            return .found(value, isForAll: true)
        }
        // Nobody holds a lease for longer without renewing it, and nobody fetches for longer than that.
        var wait = DeadlineWait(RingLease.longest, at: backend)
        while true {
            switch try await turn(of: flight, coding()) as SingleFlight.Turn<Value> {
            case .take(let value): return .found(value, isForAll: false)
            case .wait:
                guard try await wait.waitInTask() else { throw SecretStoreError(.leaseHeld, item: flight.item) }
            case .fetch(let lease, let old, _):
                // Renewed from now on, because a busy pool may let the task go on late.
                let renewal = LeaseRenewer.inBackground(lease, lasting: flight.leaseDuration)
                let isWanted = shared.hold(lease, renewal, upTo: policy.limit) {
                    flight.rememberFailure(under: lease)
                    return usable() ?? .timedOut(flight)
                }
                guard isWanted else {
                    _ = lease.release()
                    return .unknown
                }
                if policy.answersEarly, let early = usable() { shared.answer(with: early) }
                let fetched: Fetched<Value>
                do {
                    fetched = try await fetch(old)
                } catch {
                    flight.rememberFailure(under: lease)
                    guard let end = usable() else { throw error }
                    return end
                }
                guard shared.beginKeeping() else { return .unknown }
                let isKept = try await keep(fetched, of: flight, coding(), under: lease)
                return .found(fetched.value, isForAll: !isKept)
            }
        }
    }

    /// Waits for its turn and fetches, on this thread, which nobody can take it from.
    private func valueOnThisThread<Value>(
        of flight: SingleFlight, _ policy: FetchPolicy, _ coding: ValueCoding<Value>, for shared: SharedFetch,
        fetch: (Value?) throws -> Fetched<Value>
    ) throws -> (Value, SharedFetch.End) {
        // Nobody holds a lease for longer without renewing it, and nobody fetches for longer than that.
        var wait = DeadlineWait(RingLease.longest, at: backend)
        while true {
            switch try turn(of: flight, coding) as SingleFlight.Turn<Value> {
            case .take(let value): return (value, .unknown)
            case .wait: guard wait.wait() else { throw SecretStoreError(.leaseHeld, item: flight.item) }
            case .fetch(let lease, let old, _):
                // Nobody but its limit ends it, so there is somebody who wants it.
                _ = shared.hold(lease, nil, upTo: policy.limit) {
                    flight.rememberFailure(under: lease)
                    return .unknown
                }
                let fetched: Fetched<Value>
                do {
                    fetched = try fetch(old)
                } catch {
                    flight.rememberFailure(under: lease)
                    guard let value = (try? flight.usable(reading(flight.item, coding))) ?? nil else { throw error }
                    return (value, .unknown)
                }
                guard shared.beginKeeping(), try !keep(fetched, of: flight, coding, under: lease),
                    let encoded = EncodedValue(fetched.value, coding)
                else { return (fetched.value, .unknown) }
                return (fetched.value, .unkept(encoded))
            }
        }
    }

    private func reading<Value>(_ item: ItemIdentity, _ coding: ValueCoding<Value>) -> SingleFlight.Read<Value> {
        { () throws(SecretStoreError) in
            do throws(SecretStoreError) {
                return try self.found(item, coding)
            } catch {
                // Such as a value that an earlier version of the program stored.
                guard case .undecodable = error.code else { throw error }
                return nil
            }
        }
    }

    /// What to do now; on a full quota to fetch without a lease, so that only this process fetches once.
    private func turn<Value>(
        of flight: SingleFlight, _ coding: ValueCoding<Value>
    ) throws(SecretStoreError) -> SingleFlight.Turn<Value> {
        let read = reading(flight.item, coding)
        do throws(SecretStoreError) {
            return try flight.nextTurn(read: read)
        } catch {
            guard error.code == .quotaExceeded else { throw error }
            return .fetch(.none, old: try read()?.value, isOldUsable: false)
        }
    }

    /// The same, waiting for the quota without keeping a thread.
    private func turn<Value>(
        of flight: SingleFlight, _ coding: ValueCoding<Value>
    ) async throws -> SingleFlight.Turn<Value> {
        do {
            return try await waiting(upTo: RetryBudget.heldLease) { store in
                try flight.at(store).nextTurn(read: reading(flight.item, coding))
            }
        } catch let error as SecretStoreError where error.code == .quotaExceeded {
            return .fetch(.none, old: try reading(flight.item, coding)()?.value, isOldUsable: false)
        }
    }

    /// Stores what was fetched; false where there is no room for it or for what is said of it, or its time is over already.
    ///
    /// What may not be fetched twice, as a token that replaces another, is worth more to the caller than an error about a
    /// store that has no room for it just now.
    private func keep<Value>(
        _ fetched: Fetched<Value>, of flight: SingleFlight, _ coding: ValueCoding<Value>, under lease: FetchLease
    ) throws -> Bool {
        guard let lifetime = Lifetime(of: fetched), lease.canStore else { return false }
        let bytes = try encoding(flight.item) { try coding.encode(fetched.value) }
        do throws(SecretStoreError) {
            return try bytes.withBytes { bytes throws(SecretStoreError) in
                try flight.keep(bytes, for: lifetime, under: lease)
            }
        } catch {
            guard error.isLackOfRoomOrTurn else { throw error }
            return false
        }
    }

    /// The same, waiting for others without keeping a thread.
    private func keep<Value>(
        _ fetched: Fetched<Value>, of flight: SingleFlight, _ coding: ValueCoding<Value>, under lease: FetchLease
    ) async throws -> Bool {
        guard let lifetime = Lifetime(of: fetched), lease.canStore else { return false }
        let bytes = try encoding(flight.item) { try coding.encode(fetched.value) }
        do {
            let isPut = try await waiting(upTo: RetryBudget.heldLease) { store in
                try bytes.withBytes { bytes throws(SecretStoreError) in
                    try flight.at(store).put(bytes, for: lifetime, under: lease)
                }
            }
            guard isPut else { return true }
            let hash = bytes.withBytes(LeaseRecord.hash(of:))
            try await waiting(upTo: RetryBudget.heldLease) { store in
                try flight.at(store).setSentinels(hash: hash, lifetime, under: lease, waiting: .zero)
            }
            return true
        } catch let error as SecretStoreError where error.isLackOfRoomOrTurn {
            return false
        }
    }
}

extension SecretStoreError {
    /// Whether something could not be stored, or said of what is, only because of what else is, or is being, stored.
    var isLackOfRoomOrTurn: Bool { code == .quotaExceeded || code == .contended || code == .leaseLost }
}
