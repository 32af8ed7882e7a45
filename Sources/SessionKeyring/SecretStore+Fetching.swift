import Keyutils

extension SecretStore {
    /// Returns an item's value, fetching it in a task if necessary.
    package func value<Value: Sendable>(
        for item: ItemIdentity, _ policy: FetchPolicy, _ coding: @escaping @Sendable () -> ValueCoding<Value>,
        fetch: @escaping @Sendable (Value?) async throws -> Fetched<Value>
    ) async throws -> Value {
        try HeldLease.check(policy.limit)
        let flight = try SingleFlight(
            in: backend, item: item, leaseDuration: policy.leaseDuration, policy.refreshing,
            failureTimeout: policy.failureTimeout)
        while true {
            try Task.checkCancellation()
            if let value = try flight.good(reading(item, coding())) { return value }
            let part = SharedFetch.join(FetchKey(backend, of: self, item, Value.self))
            let (shared, isFirst) = (part.fetch, part.isFirst)
            if isFirst {
                shared.start { try await self.valueForAll(of: flight, policy, coding, for: shared, fetch: fetch) }
            } else if let value = try flight.usable(reading(item, coding())) {
                return value
            }
            switch await shared.end(for: part) {
            case .found(let value as Value, let isForAll) where isForAll || isFirst: return value
            case .failed(let error): throw error
            case .found, .unknown: continue
            }
        }
    }

    /// Waits for its turn and fetches the value, in a task that belongs to all callers that want it.
    private func valueForAll<Value: Sendable>(
        of flight: SingleFlight, _ policy: FetchPolicy, _ coding: @escaping @Sendable () -> ValueCoding<Value>,
        for shared: SharedFetch, fetch: (Value?) async throws -> Fetched<Value>
    ) async throws -> SharedFetch.End {
        // If the fetch fails, its callers can get the existing value. Read it only then, because somebody may refuse it
        // in the meantime.
        let usable: @Sendable () -> SharedFetch.End? = {
            guard let value = (try? flight.usable(self.reading(flight.item, coding()))) ?? nil else { return nil }
            return .found(value, isForAll: true)
        }
        switch try await turn(of: flight, coding()) as SingleFlight.Turn<Value> {
        case .take(let value): return .found(value, isForAll: false)
        case .fetch(let lease, let old, _):
            // The lease is renewed from now on, because this task may continue late if the thread pool is busy.
            let renewal = LeaseRenewer.inBackground(lease, lasting: flight.leaseDuration)
            let isWanted = shared.hold(lease, renewal, upTo: policy.limit) {
                flight.rememberFailure(under: lease)
                return usable() ?? .failed(SecretStoreError(.fetchTimedOut, item: flight.item))
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

    private func reading<Value>(_ item: ItemIdentity, _ coding: ValueCoding<Value>) -> SingleFlight.Read<Value> {
        { () throws(SecretStoreError) in
            do throws(SecretStoreError) {
                return try self.found(item, coding)
            } catch {
                // For example, an earlier version of the program stored a value of another type.
                guard case .undecodable = error.code else { throw error }
                return nil
            }
        }
    }

    /// Waits for a turn, suspending the task between attempts.
    private func turn<Value>(
        of flight: SingleFlight, _ coding: ValueCoding<Value>
    ) async throws -> SingleFlight.Turn<Value> {
        let read = reading(flight.item, coding)
        var turn = FetchTurn(of: flight)
        var wait = Wait(upTo: SingleFlight.waitLimit)
        do {
            return try await wait.runInTask { effort throws(SecretStoreError) in
                try turn.attempt(effort, read: read)
            }
        } catch let error as SecretStoreError {
            return try flight.turn(givingUp: error, read: read)
        }
    }

    /// Stores the fetched value, suspending the task between attempts; false if it or its sentinels could not be stored.
    ///
    /// It returns false if the quota is too full, if others block the write for too long, or if the value has already
    /// expired. None of these is an error: some values can't be fetched a second time, such as a token that replaces
    /// another one. The caller needs such a value more than an error about a store that has no room at the moment.
    private func keep<Value>(
        _ fetched: Fetched<Value>, of flight: SingleFlight, _ coding: ValueCoding<Value>, under lease: FetchLease
    ) async throws -> Bool {
        guard let lifetime = Lifetime(of: fetched), lease.canStore else { return false }
        let bytes = try encoding(flight.item) { try coding.encode(fetched.value) }
        do {
            var wait = Wait()
            let isStored = try await wait.runInTask { effort throws(SecretStoreError) in
                try bytes.withBytes { bytes throws(SecretStoreError) in
                    try flight.store(bytes, for: lifetime, under: lease, effort)
                }
            }
            guard isStored else { return true }
            let hash = bytes.withBytes(FNV1a.hash(of:))
            try await Wait.runInTask(try flight.stepsAfterStoring(hash, lifetime, under: lease))
            return true
        } catch let error as SecretStoreError where error.isLackOfRoomOrTurn {
            return false
        }
    }
}
