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
            store: self, item: item, leaseDuration: min(policy.limit + .seconds(1), HeldLease.longest),
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
        switch try await turn(of: flight, coding()) as SingleFlight.Turn<Value> {
        case .take(let value): return .found(value, isForAll: false)
        case .fetch(let lease, let old, _):
            // Renewed from now on, because a busy pool may continue the task late.
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

    /// Waits for its turn and fetches, on this thread, which nobody can take it from.
    private func valueOnThisThread<Value>(
        of flight: SingleFlight, _ policy: FetchPolicy, _ coding: ValueCoding<Value>, for shared: SharedFetch,
        fetch: (Value?) throws -> Fetched<Value>
    ) throws -> (Value, SharedFetch.End) {
        switch try blockingTurn(of: flight, coding) as SingleFlight.Turn<Value> {
        case .take(let value): return (value, .unknown)
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
            guard shared.beginKeeping(), try !blockingKeep(fetched, of: flight, coding, under: lease),
                let encoded = EncodedValue(fetched.value, coding)
            else { return (fetched.value, .unknown) }
            return (fetched.value, .unkept(encoded))
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

    /// Waits for a turn, sleeping.
    private func blockingTurn<Value>(
        of flight: SingleFlight, _ coding: ValueCoding<Value>
    ) throws(SecretStoreError) -> SingleFlight.Turn<Value> {
        let read = reading(flight.item, coding)
        var wait = Wait(upTo: SingleFlight.waitLimit, at: backend)
        do throws(SecretStoreError) {
            return try wait.run { attempt throws(SecretStoreError) in try flight.nextTurn(&attempt, read: read) }
        } catch {
            return try flight.turn(givingUp: error, read: read)
        }
    }

    /// The same in a task.
    private func turn<Value>(
        of flight: SingleFlight, _ coding: ValueCoding<Value>
    ) async throws -> SingleFlight.Turn<Value> {
        let read = reading(flight.item, coding)
        var wait = Wait(upTo: SingleFlight.waitLimit, at: backend)
        do {
            return try await wait.runInTask { attempt throws(SecretStoreError) in
                try flight.nextTurn(&attempt, read: read)
            }
        } catch let error as SecretStoreError {
            return try flight.turn(givingUp: error, read: read)
        }
    }

    /// Stores what was fetched, sleeping if something is in the way; false if the quota is too full for it or its sentinels, or
    /// it has expired already.
    ///
    /// What may not be fetched twice, as a token that replaces another, is worth more to the caller than an error about a
    /// store that has no room for it just now.
    private func blockingKeep<Value>(
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

    /// The same in a task.
    private func keep<Value>(
        _ fetched: Fetched<Value>, of flight: SingleFlight, _ coding: ValueCoding<Value>, under lease: FetchLease
    ) async throws -> Bool {
        guard let lifetime = Lifetime(of: fetched), lease.canStore else { return false }
        let bytes = try encoding(flight.item) { try coding.encode(fetched.value) }
        do {
            var wait = Wait()
            let isStored = try await wait.runInTask { attempt throws(SecretStoreError) in
                try bytes.withBytes { bytes throws(SecretStoreError) in
                    try flight.store(bytes, for: lifetime, under: lease, &attempt)
                }
            }
            guard isStored else { return true }
            let hash = bytes.withBytes(LeaseRecord.hash(of:))
            try await Wait.runInTask(try flight.stepsAfterStoring(hash, lifetime, under: lease))
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
