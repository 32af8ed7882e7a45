import Keyutils

extension SecretStore {
    /// An item's value, fetched and stored where there is none: of all tasks, threads and processes that want it at the same
    /// time, one fetches it and the rest wait for what it finds.
    ///
    /// Waits by keeping the calling thread; tasks use the asynchronous form. If the fetch fails, its error goes to its
    /// caller alone, nothing is stored, and one of those who wait tries next. If the process that fetches dies, the next
    /// one goes on when its lease ends.
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
        var patience = Patience(nil, at: backend)
        while true {
            switch try nextTurn(of: flight, lifetime, as: type) {
            case .take(let value): return value
            case .wait: _ = patience.wait()
            case .fetch(let lease, let stillGood):
                defer { _ = lease.release() }
                do {
                    let value = try fetch()
                    try keep(value, for: lifetime, of: flight, under: lease)
                    return value
                } catch {
                    guard let stillGood else { throw error }
                    return stillGood
                }
            }
        }
    }

    /// An item's value, fetched and stored where there is none: of all tasks, threads and processes that want it at the same
    /// time, one fetches it and the rest wait for what it finds.
    ///
    /// Waits without keeping a thread. A fetch belongs to all who wait for it: a caller that is cancelled gets `cancelled`
    /// at once, and the fetch that it began goes on. If the fetch fails, its error goes to its caller alone, nothing is
    /// stored, and one of those who wait tries next. If the process that fetches dies, the next one goes on when its lease
    /// ends; as long as it lives, the lease is renewed.
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
    ///   - fetch: gets the value from where it comes.
    /// - Throws: what `fetch` throws; ``SecretStoreError`` with `cancelled`, `undecodable`, `unencodable`,
    ///   `invalidRefresh`, `invalidLease`, or as ``set(_:for:timeout:)`` does.
    public func value<Value: Codable & Sendable>(
        for item: ItemIdentity,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        refreshBefore: Duration? = nil,
        staleWhileRefreshing: Bool = false,
        fetchLasting duration: Duration = .seconds(10),
        fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let lifetime = try Lifetime(timeout: timeout, refreshBefore: refreshBefore, of: item)
        let flight = try SingleFlight(store: self, item: item, leaseDuration: duration)
        var patience = Patience(nil, at: backend)
        while true {
            switch try nextTurn(of: flight, lifetime, as: type) {
            case .take(let value): return value
            case .wait: _ = try await patience.waitInTask()
            case .fetch(let lease, let stillGood):
                // From now on, because a busy pool may let the task begin late.
                let renewal = flight.renewing(lease)
                let shared = SharedFetch {
                    defer { withExtendedLifetime(renewal) { _ = lease.release() } }
                    let value = try await fetch()
                    try self.keep(value, for: lifetime, of: flight, under: lease)
                    return value
                }
                guard let stillGood else { return try await shared.value() }
                if staleWhileRefreshing { return stillGood }
                do {
                    return try await shared.value()
                } catch let error as SecretStoreError where error.code == .cancelled {
                    throw error
                } catch {
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

    /// Stores what was fetched.
    ///
    /// What may not be fetched twice, as a token that replaces another, is worth more to the caller than an error about a
    /// store that has no room for it just now.
    private func keep<Value: Encodable>(
        _ value: Value, for lifetime: Lifetime, of flight: SingleFlight, under lease: FetchLease
    ) throws(SecretStoreError) {
        let codec = codec
        let bytes = try encoding(flight.item) { try RawCoding.encode(value, else: codec) }
        do throws(SecretStoreError) {
            try bytes.withBytes { bytes throws(SecretStoreError) in
                try flight.keep(bytes, for: lifetime, under: lease)
            }
        } catch {
            guard error.underlying?.code == .quotaExceeded || error.code == .contended else { throw error }
        }
    }
}
