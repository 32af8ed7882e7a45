import Keyutils

extension SecretStore {
    /// An item's value, fetched and stored where there is none: of all tasks, threads and processes that want it at the same
    /// time, one fetches it and the rest wait for what it finds.
    ///
    /// Waits by keeping the calling thread; tasks use the asynchronous form. If the fetch fails, nothing is stored, and its
    /// error goes to all in this process who wait for it; in another process, one of those who wait tries next. If the process
    /// that fetches dies, the next one goes on when its lease ends.
    ///
    /// Nobody can cancel a fetch that keeps its thread. One that hangs keeps its own caller for ever, but its lease is not
    /// renewed: when that ends, the others go on without it.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: what it holds.
    ///   - timeout: when the kernel drops what was fetched; `nil` for the scope's life.
    ///   - refreshBefore: how long before that one of those who ask fetches it anew, while the others still get the old
    ///     value. If that fails, it gets the old value as well. `nil` for not before it is gone.
    ///   - duration: how long a fetch may take, after which somebody else may begin one; up to one hour. What a fetch that
    ///     took longer has found is returned, and not stored; so is what the quota has no room for.
    ///   - fetch: gets the value from where it comes.
    /// - Throws: what `fetch` throws; ``SecretStoreError`` with `undecodable`, `unencodable`, `invalidRefresh`,
    ///   `invalidLease`, or as ``set(_:for:timeout:)`` does.
    @available(*, noasync, message: "keeps the thread; pass an async closure to wait without one")
    public func value<Value: Codable>(
        for item: ItemIdentity,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        refreshBefore: Duration? = nil,
        fetchLasting duration: Duration = .seconds(60),
        fetch: () throws -> Value
    ) throws -> Value {
        let lifetime = try Lifetime(timeout: timeout, refreshBefore: refreshBefore, of: item)
        let flight = try SingleFlight(store: self, item: item, leaseDuration: duration)
        while true {
            if refreshBefore == nil, let value = try get(item, as: type) { return value }
            let part = SharedFetch.join(FetchKey(self, item, type))
            if part.isFirst {
                return try part.fetch.finishing {
                    try valueOnThisThread(of: flight, lifetime, for: part.fetch, lasting: duration, fetch: fetch)
                }
            }
            if let value = try get(item, as: type) { return value }
            switch part.fetch.waitForEnd(for: part) {
            case .found(let value as Value, isForAll: true): return value
            case .failed(let error): throw error
            case .found, .unknown: continue
            }
        }
    }

    /// An item's value, fetched and stored where there is none: of all tasks, threads and processes that want it at the same
    /// time, one fetches it and the rest wait for what it finds.
    ///
    /// Waits without keeping a thread. A fetch belongs to all in this process who wait for it: a caller that is cancelled
    /// gets `cancelled` at once, and the fetch that it began goes on for the others; when the last of them is cancelled, it
    /// is cancelled too, and whoever asks next begins another. If it fails, nothing is stored, and its error goes to all of
    /// them; in another process, one of those who wait tries next. If the process that fetches dies, the next one goes on
    /// when its lease ends; as long as it lives, the lease is renewed, up to the fetch's limit.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: what it holds.
    ///   - timeout: when the kernel drops what was fetched; `nil` for the scope's life.
    ///   - refreshBefore: how long before that one of those who ask fetches it anew, while the others still get the old
    ///     value. If that fails, it gets the old value as well. `nil` for not before it is gone.
    ///   - staleWhileRefreshing: whether the one that fetches it anew gets the old value too, at once, and the fetch goes
    ///     on behind it.
    ///   - duration: how soon somebody else may go on after a process that died while it fetched; up to one hour. What was
    ///     fetched and the quota has no room for is returned, and not stored.
    ///   - limit: how long a fetch may take, up to one hour. One that takes longer is cancelled, its callers get
    ///     `fetchTimedOut`, or the old value if there is one, and others may go on, also if it does not heed that it was
    ///     cancelled: what it finds then is dropped.
    ///   - fetch: gets the value from where it comes.
    /// - Throws: what `fetch` throws; ``SecretStoreError`` with `cancelled`, `fetchTimedOut`, `undecodable`, `unencodable`,
    ///   `invalidRefresh`, `invalidLease`, or as ``set(_:for:timeout:)`` does.
    public func value<Value: Codable & Sendable>(
        for item: ItemIdentity,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        refreshBefore: Duration? = nil,
        staleWhileRefreshing: Bool = false,
        fetchLasting duration: Duration = .seconds(10),
        fetchLimit limit: Duration = .seconds(60),
        fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let lifetime = try Lifetime(timeout: timeout, refreshBefore: refreshBefore, of: item)
        let flight = try SingleFlight(store: self, item: item, leaseDuration: duration)
        try Self.checkLease(limit)
        while true {
            if refreshBefore == nil, let value = try get(item, as: type) { return value }
            let part = SharedFetch.join(FetchKey(self, item, type))
            let (shared, isFirst) = (part.fetch, part.isFirst)
            if isFirst {
                shared.start {
                    try await self.valueForAll(
                        of: flight, lifetime, for: shared, upTo: limit, answersEarly: staleWhileRefreshing,
                        fetch: fetch
                    )
                }
            } else if let value = try get(item, as: type) {
                return value
            }
            switch await shared.end(for: part) {
            case .found(let value as Value, let isForAll) where isForAll || isFirst: return value
            case .failed(let error): throw error
            case .found, .unknown: continue
            }
        }
    }
}

extension SecretStore {
    /// Waits for its turn and fetches, in a task that belongs to all who want the value.
    private func valueForAll<Value: Codable & Sendable>(
        of flight: SingleFlight, _ lifetime: Lifetime, for shared: SharedFetch, upTo limit: Duration,
        answersEarly: Bool, fetch: () async throws -> Value
    ) async throws -> SharedFetch.End {
        // Nobody holds a lease for longer without renewing it, and nobody fetches for longer than that.
        var deadline = DeadlineWait(RingLease.longest, at: backend)
        while true {
            switch try nextTurn(of: flight, lifetime, as: Value.self) {
            case .take(let value): return .found(value, isForAll: false)
            case .wait:
                guard try await deadline.waitInTask() else { throw SecretStoreError(.leaseHeld, item: flight.item) }
            case .fetch(let lease, let stillGood):
                let old = stillGood.map { SharedFetch.End.found($0, isForAll: true) }
                // Renewed from now on, because a busy pool may let the task go on late.
                let renewal = flight.renewing(lease)
                guard shared.hold(lease, renewal, upTo: limit, otherwise: old ?? .timedOut(flight)) else {
                    _ = lease.release()
                    return .unknown
                }
                if answersEarly, let old { shared.answer(with: old) }
                do {
                    let value = try await fetch()
                    guard shared.beginKeeping() else { return .unknown }
                    return .found(value, isForAll: try !keep(value, for: lifetime, of: flight, under: lease))
                } catch {
                    guard let old else { throw error }
                    return old
                }
            }
        }
    }

    /// Waits for its turn and fetches, on this thread, which nobody can take it from.
    private func valueOnThisThread<Value: Codable>(
        of flight: SingleFlight, _ lifetime: Lifetime, for shared: SharedFetch, lasting duration: Duration,
        fetch: () throws -> Value
    ) throws -> Value {
        // Nobody holds a lease for longer without renewing it, and nobody fetches for longer than that.
        var deadline = DeadlineWait(RingLease.longest, at: backend)
        while true {
            switch try nextTurn(of: flight, lifetime, as: Value.self) {
            case .take(let value): return value
            case .wait: guard deadline.wait() else { throw SecretStoreError(.leaseHeld, item: flight.item) }
            case .fetch(let lease, let stillGood):
                // Nobody but its limit ends it, so there is somebody who wants it.
                _ = shared.hold(lease, nil, upTo: duration, otherwise: .unknown)
                do {
                    let value = try fetch()
                    if shared.beginKeeping() { _ = try keep(value, for: lifetime, of: flight, under: lease) }
                    return value
                } catch {
                    guard let stillGood else { throw error }
                    return stillGood
                }
            }
        }
    }

    private func nextTurn<Value: Decodable>(
        of flight: SingleFlight, _ lifetime: Lifetime, as type: Value.Type
    ) throws(SecretStoreError) -> SingleFlight.Turn<Value> {
        try flight.nextTurn(refreshes: lifetime.refreshBefore != nil) { () throws(SecretStoreError) in
            try get(flight.item, as: type)
        }
    }

    /// Stores what was fetched; false where there is no room for it.
    ///
    /// What may not be fetched twice, as a token that replaces another, is worth more to the caller than an error about a
    /// store that has no room for it just now.
    private func keep<Value: Encodable>(
        _ value: Value, for lifetime: Lifetime, of flight: SingleFlight, under lease: FetchLease
    ) throws(SecretStoreError) -> Bool {
        let codec = codec
        let bytes = try encoding(flight.item) { try RawCoding.encode(value, else: codec) }
        do throws(SecretStoreError) {
            try bytes.withBytes { bytes throws(SecretStoreError) in
                try flight.keep(bytes, for: lifetime, under: lease)
            }
            return true
        } catch {
            guard error.underlying?.code == .quotaExceeded || error.code == .contended else { throw error }
            return false
        }
    }
}
