import Keyutils

extension SecretStore {
    /// Returns an item's value; if there isn't one, fetches it and stores it.
    ///
    /// If many tasks, threads and processes want the value at the same time, one of them fetches it, and the others
    /// wait for the result.
    ///
    /// ```swift
    /// let token = try await store.value(for: item, timeout: .seconds(900)) { try await login() }
    /// ```
    ///
    /// A stored value that can't be decoded as `type` counts as absent: it is fetched again and replaced. So if two
    /// versions of a program use different types at the same time, each may replace the value of the other again
    /// and again.
    ///
    /// The call waits without blocking a thread. A fetch belongs to all callers in this process that wait for it:
    ///
    /// - A caller that is cancelled throws immediately. The fetch that it began continues for the other callers.
    /// - When the last caller is cancelled, the fetch is cancelled too. The next caller then begins another one.
    /// - If the fetch fails, nothing is stored, and all these callers get its error. In another process, one of the
    ///   callers that wait tries next.
    /// - If the process that fetches dies, another one continues: immediately if it can tell that the first one is
    ///   dead, otherwise within ten seconds.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: the type of its value.
    ///   - timeout: how long the kernel keeps the fetched value; `nil` for as long as the scope exists.
    ///   - refreshAfter: after how long one of the callers fetches the value again, while the others still get the old
    ///     value. If that fetch fails, its caller gets the old value too. `nil` if nobody fetches the value again
    ///     before it expires.
    ///   - staleWhileRefreshing: whether the caller that fetches the value again also gets the old value, immediately,
    ///     while the fetch continues in the background.
    ///   - limit: how long a fetch is allowed to take, up to one hour. A fetch that takes longer is cancelled. Its
    ///     callers get the old value if there is one, otherwise `fetchTimedOut`. Others can then fetch, even if the
    ///     cancelled fetch continues; its result is dropped.
    ///   - failureTimeout: for how long after a failed fetch nobody tries again. All callers get the old value if there
    ///     is one, otherwise `fetchFailed`. `nil` if each caller tries itself.
    ///   - fetch: gets the value from its source. If the quota has no room for the value, it is returned but
    ///     not stored.
    /// - Throws: the error of `fetch`; `CancellationError`; ``SecretStoreError`` with `fetchTimedOut`, `fetchFailed`,
    ///   `leaseHeld` if others fetched for more than an hour, `unencodable`, `tooLarge`, or `invalidTimeout`, also for
    ///   a `limit` that is out of range.
    public func value<Value: Codable & Sendable>(
        for item: ItemIdentity,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        staleWhileRefreshing: Bool = false,
        fetchLasting limit: Duration = .seconds(60),
        sharingFailuresFor failureTimeout: Duration? = .seconds(2),
        fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        _ = try Lifetime(timeout: timeout, refreshAfter: refreshAfter, of: item)
        let policy = FetchPolicy(
            refreshAfter == nil ? .never : .due, answersEarly: staleWhileRefreshing, limit: limit,
            failureTimeout: failureTimeout)
        return try await value(for: item, policy, { self.coding(type) }) { (_: Value?) in
            Fetched(try await fetch(), timeout: timeout, refreshAfter: refreshAfter)
        }
    }

    /// Returns an item's value; if there isn't one, fetches it together with its lifetime, and stores it.
    ///
    /// ```swift
    /// let token = try await store.value(for: item, as: Token.self) { old in
    ///     let token = if let old { try await refresh(old.refreshToken) } else { try await login() }
    ///     return Fetched(token, refreshAfter: token.lifetime - .seconds(60), usableFor: token.lifetime)
    /// }
    /// ```
    ///
    /// Everything else is as for
    /// ``value(for:as:timeout:refreshAfter:staleWhileRefreshing:fetchLasting:sharingFailuresFor:fetch:)``.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: the type of its value.
    ///   - staleWhileRefreshing: whether the caller that fetches the value again also gets the old value, immediately.
    ///   - limit: how long a fetch is allowed to take, up to one hour.
    ///   - failureTimeout: for how long after a failed fetch nobody tries again. All callers get the old value if there
    ///     is one, otherwise `fetchFailed`. `nil` if each caller tries itself.
    ///   - fetch: makes a new value from the old one, which is `nil` if there isn't one. The closure also gets an old
    ///     value that is not usable any more (``Fetched``) or that was refused (``invalidate(_:for:)``). A value that
    ///     was stored by a plain `set` is fetched again immediately. To avoid that, pass `refreshAfter` to `set`.
    /// - Throws: as ``value(for:as:timeout:refreshAfter:staleWhileRefreshing:fetchLasting:sharingFailuresFor:fetch:)``.
    public func value<Value: Codable & Sendable>(
        for item: ItemIdentity,
        as type: Value.Type = Value.self,
        staleWhileRefreshing: Bool = false,
        fetchLasting limit: Duration = .seconds(60),
        sharingFailuresFor failureTimeout: Duration? = .seconds(2),
        fetch: @escaping @Sendable (_ old: Value?) async throws -> Fetched<Value>
    ) async throws -> Value {
        let policy = FetchPolicy(
            .dueOrUnusable, answersEarly: staleWhileRefreshing, limit: limit, failureTimeout: failureTimeout)
        return try await value(for: item, policy, { self.coding(type) }, fetch: fetch)
    }
}

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

    /// Stores the fetched value, suspending the task between attempts.
    ///
    /// A store that has no room, or whose writers block each other for too long, is not an error: some values can't be
    /// fetched a second time, such as a token that replaces another one. The caller needs such a value more than an
    /// error about the store.
    ///
    /// - Returns: false if the value or the facts about it could not be stored, also because the value has already
    ///   expired; true, with nothing stored, if the item was changed during the fetch or the lease was lost.
    private func keep<Value>(
        _ fetched: Fetched<Value>, of flight: SingleFlight, _ coding: ValueCoding<Value>, under lease: FetchLease
    ) async throws -> Bool {
        guard let lifetime = Lifetime(of: fetched), lease.canStore else { return false }
        let bytes = try encoding(flight.item) { try coding.encode(fetched.value) }
        do {
            var wait = Wait()
            let storage = try await wait.runInTask { effort throws(SecretStoreError) in
                try bytes.withBytes { bytes throws(SecretStoreError) in
                    try flight.store(bytes, for: lifetime, under: lease, effort)
                }
            }
            guard storage != .nothing else { return true }
            if var forgetting = flight.forgettingFailure() {
                var wait = Wait()
                _ = try await wait.runInTask(isCancellable: false) { effort throws(SecretStoreError) in
                    try forgetting.attempt(effort)
                }
            }
            return storage == .all
        } catch let error as SecretStoreError where error.isLackOfRoomOrTurn {
            return false
        }
    }
}
