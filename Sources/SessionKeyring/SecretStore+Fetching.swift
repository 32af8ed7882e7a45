import Keyutils

extension SecretStore {
    /// Returns an item's value; if there isn't one, fetches it and stores it.
    ///
    /// If many tasks, threads and processes want the value at the same time, one of them fetches it, and the others
    /// wait for the result.
    ///
    /// ```swift
    /// let token = try await store.value(for: item, as: Token.self, lasting: .seconds(900)) { try await logIn() }
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
    /// - If the fetch fails, nothing is stored. All these callers get the old value if it is usable, otherwise the
    ///   fetch's error. For two seconds (``FetchOptions``), nobody fetches again, in any process: callers get the old
    ///   value if it is usable, otherwise `fetchFailed`.
    /// - If the process that fetches dies, another one continues: immediately if it can tell that the first one is
    ///   dead, otherwise within ten seconds.
    /// - If the fetch reaches its limit, it is cancelled, and its result is dropped even if it continues. Its callers get
    ///   the old value if it is usable, otherwise `fetchTimedOut`. Others can then fetch.
    /// - If the quota has no room for the value, or if the session has ended, the value is returned but not stored.
    ///
    /// So a value can be fetched more than once. For a token that can be refreshed only once, use
    /// ``refreshedValue(for:as:options:fetch:)``.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: the type of its value.
    ///   - lifetime: how long the fetched value lasts, counted from the end of the fetch. If it has `refreshAfter`, one of
    ///     the callers fetches the value again after that, while the others still get the old value. A value that was
    ///     stored by a `set` without `refreshAfter` and `usableFor` is then due immediately.
    ///   - options: how the fetch is done.
    ///   - fetch: gets the value from its source. It can't ask the store for the same item.
    /// - Throws: the error of `fetch`; `CancellationError`; ``SecretStoreError`` with `fetchTimedOut`, `fetchFailed`,
    ///   `leaseHeld` if others fetched for more than an hour, `unencodable`, `tooLarge`, or `invalidTimeout`, also for
    ///   an option that is out of range.
    public func value<Value: Codable & Sendable>(
        for item: ItemIdentity, as type: Value.Type, lasting lifetime: Lifetime = .scope,
        options: FetchOptions = FetchOptions(), fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        _ = try RunningLifetime(lifetime, of: item)
        return try await value(for: item, FetchPolicy(for: lifetime, options), { self.coding(type) }) { _ in
            (try await fetch(), lifetime)
        }
    }

    /// Returns an item's value; if there isn't one or it is due, makes a new one from the old one, and stores it.
    ///
    /// This is for tokens, above all those whose refresh token works only once.
    ///
    /// ```swift
    /// let token = try await store.refreshedValue(for: item, as: Token.self) { old in
    ///     let token = if let old { try await refresh(old) } else { try await logIn() }
    ///     return (token, .token(livingFor: .seconds(token.expiresIn)))
    /// }
    /// ```
    ///
    /// If many tasks, threads and processes want the value at the same time, one of them fetches it. The others wait
    /// only if the old value isn't usable. Everything else is as for ``value(for:as:lasting:options:fetch:)``, except
    /// that the closure is never called without room for its result, and not cancelled before its limit:
    ///
    /// - The store first reserves the old value's size and 1,024 bytes more, or ``FetchOptions``' size for a first value.
    ///   Without that room, callers get the old value if it is usable, otherwise `quotaExceeded`.
    /// - Once the closure was called, nothing cancels the fetch before its limit, even if all its callers are cancelled
    ///   or their task group ends. Its result is stored, unless the item was set, deleted or cleared meanwhile.
    /// - If it reaches its limit, its callers get the old value if it is usable, otherwise `fetchTimedOut`, and others
    ///   can fetch. A late result is still stored, unless another fetch has begun; one in this process cancels it.
    ///
    /// Apart from that, a result is not stored only if the process dies, if the result is larger than its room and the
    /// quota is full, if others block the write for an hour, if the session ends, if the result can't be sealed, or if its
    /// timeout has already passed. Except after a death, the callers still get it. A result that can't be encoded, or is
    /// larger than any key, is an error.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: the type of its value.
    ///   - options: how the fetch is done.
    ///   - fetch: makes a new value and its lifetime from the old value, which is `nil` if there isn't one. The closure
    ///     also gets an old value that is not usable any more or that was refused
    ///     (``SecretSlot/invalidate(_:waiting:)``), or that was stored by a `set` whose lifetime has neither
    ///     `refreshAfter` nor `usableFor`. If the old value is of no use, the closure throws ``RefusedOldValue``, and is
    ///     called again without it. Because the value must not be lost, durations that are out of range are corrected: a
    ///     `refreshAfter` of zero or less becomes nine tenths of the value's life, at least one second. A value whose
    ///     timeout is zero or less is returned and not stored.
    /// - Throws: as ``value(for:as:lasting:options:fetch:)``; ``SecretStoreError`` also with `quotaExceeded`, or with
    ///   `sessionRevoked` if the session has ended.
    public func refreshedValue<Value: Codable & Sendable>(
        for item: ItemIdentity, as type: Value.Type, options: FetchOptions = FetchOptions(),
        fetch: @escaping @Sendable (_ old: Value?) async throws -> (Value, Lifetime)
    ) async throws -> Value {
        let policy = FetchPolicy(.dueOrUnusable, isStrict: true, options)
        return try await value(for: item, policy, { self.coding(type) }, fetch: fetch)
    }
}

extension SecretStore {
    /// The fetches whose closures are running this task, each with its item.
    @TaskLocal private static var outerFetches: [(fetch: SharedFetch, item: FetchKey)] = []

    /// Returns an item's value, fetching it in a task if necessary.
    package func value<Value: Sendable>(
        for item: ItemIdentity, _ policy: FetchPolicy, _ coding: @escaping @Sendable () -> ValueCoding<Value>,
        fetch: @escaping @Sendable (Value?) async throws -> (Value, Lifetime)
    ) async throws -> Value {
        let options = policy.options
        guard (try? HeldLease.check(options.limit)) != nil else { throw SecretStoreError(.fetchLimit, item: item) }
        let ownKey = updateKey(item)
        if Self.outerFetches.contains(where: { $0.item == ownKey && !$0.fetch.hasStopped }) {
            throw SecretStoreError(.insideFetch, item: item)
        }
        let flight = try SingleFlight(
            in: backend, item: item, leaseDuration: policy.leaseDuration, policy.refreshing,
            failureTimeout: options.retryAfter, isStrict: policy.isStrict)
        while true {
            try Task.checkCancellation()
            if let value = try flight.good(reading(flight, coding())) { return value }
            let part = SharedFetch.join(
                FetchKey(backend, of: self, item, Value.self, sealing: sealing, isStrict: policy.isStrict))
            let (shared, isFirst) = (part.fetch, part.isFirst)
            if isFirst {
                shared.start {
                    let outer = Self.outerFetches.filter { !$0.fetch.hasStopped } + [(shared, ownKey)]
                    return try await Self.$outerFetches.withValue(outer) {
                        try await self.valueForAll(of: flight, policy, coding, for: shared, fetch: fetch)
                    }
                }
            } else if let value = try flight.usable(reading(flight, coding())) {
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
        for shared: SharedFetch, fetch: (Value?) async throws -> (Value, Lifetime)
    ) async throws -> SharedFetch.End {
        // If the fetch fails, its callers can get the existing value. Read it only then, because somebody may refuse it
        // in the meantime.
        let usable: @Sendable () -> SharedFetch.End? = {
            guard let value = (try? flight.usable(self.reading(flight, coding()))) ?? nil else { return nil }
            return .found(value, isForAll: true)
        }
        switch try await turn(of: flight, coding()) as SingleFlight.Turn<Value> {
        case .take(let value): return .found(value, isForAll: false)
        case .fetch(let lease, let old, let isOldUsable):
            // The lease is renewed from now on, because this task may continue late if the thread pool is busy.
            let renewal = LeaseRenewer.inBackground(lease, lasting: flight.leaseDuration)
            let isWanted = shared.hold(lease, renewal, upTo: policy.options.limit) {
                flight.rememberFailure(under: lease)
                return usable() ?? .failed(SecretStoreError(.fetchTimedOut, item: flight.item))
            }
            guard isWanted else {
                _ = lease.release()
                return .unknown
            }
            var old = old
            if policy.isStrict {
                do {
                    let begun = try await begin(flight, policy, coding, under: lease, isOldUsable: isOldUsable)
                    switch begun.turn {
                    case .take(let value): return .found(value, isForAll: false)
                    case .fetch(_, let current, _): old = current
                    }
                    guard lease.timeLeft > .zero, shared.commit(begun.thread) else { return .unknown }
                } catch {
                    guard let end = usable() else { throw error }
                    return end
                }
            }
            if policy.options.answersEarly, let early = usable() { shared.answer(with: early) }
            let (value, lifetime): (Value, Lifetime)
            do {
                do {
                    (value, lifetime) = try await fetch(old)
                } catch is RefusedOldValue where old != nil && shared.isCommitted && lease.timeLeft > .zero {
                    (value, lifetime) = try await fetch(nil)
                }
            } catch {
                flight.rememberFailure(under: lease)
                guard let end = usable() else { throw error }
                return end
            }
            guard shared.beginKeeping() else { return .unknown }
            // If others block the write for long, the callers don't wait for it.
            let isKept = try await keep(
                value, for: lifetime, of: flight, coding(), under: lease, on: shared.thread,
                whenBlockedForLong: { shared.answer(with: .found(value, isForAll: true)) })
            return .found(value, isForAll: !isKept)
        }
    }

    /// Reserves room for the result of a strict fetch, watches the item, and decides again what the caller does.
    ///
    /// A caller that has a usable value does not wait for room.
    ///
    /// - Returns: the thread that holds the room, and the decision.
    private func begin<Value: Sendable>(
        _ flight: SingleFlight, _ policy: FetchPolicy, _ coding: @escaping @Sendable () -> ValueCoding<Value>,
        under lease: FetchLease, isOldUsable: Bool
    ) async throws -> (thread: StagingThread, turn: SingleFlight.Turn<Value>) {
        let thread = try StagingThread()
        let turn = try await thread.run { () throws(SecretStoreError) in
            var wait = Wait(quota: isOldUsable ? .zero : nil)
            return try wait.run { effort throws(SecretStoreError) in
                try .of { () throws(SecretStoreError) in
                    try lease.begin(
                        of: flight.item, reserving: policy.options.firstValueSize, in: self.backend, effort)
                    return try flight.turn(under: lease, self.reading(flight, coding()))
                }
            }
        }
        return (thread, turn)
    }

    private func reading<Value>(_ flight: SingleFlight, _ coding: ValueCoding<Value>) -> SingleFlight.Read<Value> {
        { () throws(SecretStoreError) in
            do throws(SecretStoreError) {
                return try self.found(flight.item, coding)
            } catch {
                switch error.code {
                // For example, an earlier version of the program stored a value of another type.
                case .undecodable where !(flight.isStrict && error.detail == .unopened): return nil
                case .sessionRevoked where !flight.isStrict: return nil
                default: throw error
                }
            }
        }
    }

    /// Waits for a turn, suspending the task between attempts.
    private func turn<Value>(
        of flight: SingleFlight, _ coding: ValueCoding<Value>
    ) async throws -> SingleFlight.Turn<Value> {
        let read = reading(flight, coding)
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
    /// A store that has no room, whose writers block each other for too long, or whose session has ended is not an error:
    /// some values can't be fetched a second time, such as a token that replaces another one. The caller needs such a
    /// value more than an error about the store. For a fetch with room, that is true of every error of the store.
    ///
    /// - Parameter answer: called if others have blocked a fetch with room for ten seconds.
    /// - Returns: false if the value or the facts about it could not be stored, also because the value has already
    ///   expired, or if it isn't usable; true, with nothing stored, if the item was changed during the fetch or the lease
    ///   was lost.
    private func keep<Value>(
        _ value: Value, for lifetime: Lifetime, of flight: SingleFlight, _ coding: ValueCoding<Value>,
        under lease: FetchLease, on thread: StagingThread?, whenBlockedForLong answer: @escaping @Sendable () -> Void
    ) async throws -> Bool {
        guard let lifetime = RunningLifetime(ofFetched: lifetime), lease.canStore else { return false }
        let coding = coding.sealed(by: sealing, of: flight.item)
        let result: FetchResult
        do throws(SecretStoreError) {
            result = FetchResult(try encoding(flight.item) { try coding.encode(value) }, for: lifetime)
        } catch {
            guard thread != nil, error.detail == .unsealed else { throw error }
            return false
        }
        let attempt: @Sendable (Effort) throws(SecretStoreError) -> Outcome<FetchStorage> = {
            effort throws(SecretStoreError) in
            try result.bytes.withBytes { bytes throws(SecretStoreError) in
                try flight.store(bytes, for: result.lifetime, under: lease, effort)
            }
        }
        do {
            let storage: FetchStorage
            if let thread {
                storage = try await thread.run { () throws(SecretStoreError) in
                    var wait = Wait(upTo: HeldLease.longest)
                    let start = BootTime.now()
                    return try wait.run { effort throws(SecretStoreError) in
                        // Not earlier: a caller that has its value may end the process.
                        if BootTime.now().since(start) > Wait.usualLimit { answer() }
                        return try attempt(effort)
                    }
                }
            } else {
                var wait = Wait()
                storage = try await wait.runInTask(attempt)
            }
            guard storage != .nothing else { return true }
            if var forgetting = flight.forgettingFailure() {
                var wait = Wait()
                // The value is stored, so a failure that remains is worth no error.
                _ = try? await wait.runInTask(isCancellable: false) { effort throws(SecretStoreError) in
                    try forgetting.attempt(effort)
                }
            }
            return storage == .all && lifetime.usability != .never
        } catch let error as SecretStoreError {
            // A value that no key can hold is a mistake of the program, which must learn of it.
            if case .tooLarge = error.code, !error.isLimitOfQuota { throw error }
            guard error.isLackOfRoomOrTurn || error.code == .sessionRevoked || thread != nil else { throw error }
            return false
        }
    }

    /// A fetched value as it is stored.
    private final class FetchResult: Sendable {
        let bytes: SecretBytes
        let lifetime: RunningLifetime

        init(_ bytes: consuming SecretBytes, for lifetime: RunningLifetime) {
            self.bytes = bytes
            self.lifetime = lifetime
        }
    }
}
