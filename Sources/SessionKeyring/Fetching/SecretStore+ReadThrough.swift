extension SecretStore {
    /// An item's value, fetched and stored where there is none: of all tasks, threads and processes that want it at the same
    /// time, one fetches it and the rest wait for what it finds.
    ///
    /// ```swift
    /// let token = try await store.value(for: item, timeout: .seconds(900)) { try await login() }
    /// ```
    ///
    /// A stored value that can't be decoded as `type` counts as absent: it is fetched again and replaced. So two versions of a
    /// program that run at the same time, with different types, may fetch in turn.
    ///
    /// Waits without keeping a thread. A fetch belongs to all in this process who wait for it: a caller that is cancelled
    /// throws at once, and the fetch that it began goes on for the others; when the last of them is cancelled, it is
    /// cancelled too, and whoever asks next begins another. If it fails, nothing is stored, and its error goes to all of
    /// them; in another process, one of those who wait tries next. If the process that fetches dies, the next one goes on
    /// at once where that can be seen, else within ten seconds.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: what it holds.
    ///   - timeout: when the kernel drops what was fetched; `nil` for the scope's life.
    ///   - refreshAfter: after how long one of those who ask fetches it anew, while the others still get the old value. If
    ///     that fails, it gets the old value as well. `nil` for not before it is gone.
    ///   - staleWhileRefreshing: whether the one that fetches it anew gets the old value too, at once, and the fetch goes
    ///     on behind it.
    ///   - limit: how long a fetch may take, up to one hour. One that takes longer is cancelled, its callers get
    ///     `fetchTimedOut`, or the old value if there is one, and others may go on, also if it does not heed that it was
    ///     cancelled: what it finds then is dropped.
    ///   - failureTimeout: for how long, after a fetch that failed, all callers get `fetchFailed` instead of trying as
    ///     well, or the old value if there is one; `nil` if each tries by itself.
    ///   - fetch: gets the value from its source. If the quota has no room, the value is returned, and not stored.
    /// - Throws: what `fetch` throws; `CancellationError`; ``SecretStoreError`` with `fetchTimedOut`, `fetchFailed`,
    ///   `leaseHeld` where others fetched for more than an hour, `unencodable`, `tooLarge`, or
    ///   `invalidTimeout`, also for a limit that no fetch may have.
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

    /// An item's value, fetched and stored where there is none, with a lifetime that comes with it.
    ///
    /// ```swift
    /// let token = try await store.value(for: item, as: Token.self) { old in
    ///     let token = if let old { try await refresh(old.refreshToken) } else { try await login() }
    ///     return Fetched(token, refreshAfter: token.lifetime - .seconds(60), usableFor: token.lifetime)
    /// }
    /// ```
    ///
    /// Everything else is as in the form above.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: what it holds.
    ///   - staleWhileRefreshing: whether the one that fetches it anew gets the old value too, at once.
    ///   - limit: how long a fetch may take, up to one hour.
    ///   - failureTimeout: for how long, after a fetch that failed, all callers get `fetchFailed` instead of trying as
    ///     well; `nil` if each tries by itself.
    ///   - fetch: makes a new value of the old one, which is `nil` where there is none, and is there too where it is not usable
    ///     any more or was refused (``invalidate(_:for:)``). What was stored by a plain `set` is fetched anew
    ///     at once: say `refreshAfter` there.
    /// - Throws: as the form above.
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

    /// An item's value, fetched and stored where there is none, as `value(for:)` does; keeps the thread while it waits.
    ///
    /// Nobody can cancel a fetch that keeps its thread. One that hangs keeps its own caller for ever; the others go on
    /// without it after `limit`. What a fetch that took longer has found is returned, and not stored.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: what it holds.
    ///   - timeout: when the kernel drops what was fetched; `nil` for the scope's life.
    ///   - refreshAfter: after how long one of those who ask fetches it anew, while the others still get the old value.
    ///   - limit: how long a fetch may take, up to one hour, after which somebody else may begin one.
    ///   - failureTimeout: for how long, after a fetch that failed, all callers get `fetchFailed` instead of trying as
    ///     well; `nil` if each tries by itself.
    ///   - fetch: gets the value from where it comes.
    /// - Throws: what `fetch` throws; ``SecretStoreError`` with `fetchFailed`, `leaseHeld` where others fetched for more than
    ///   an hour, `unencodable`, `tooLarge`, or `invalidTimeout`, also for a limit
    ///   that no fetch may have.
    @available(*, noasync, message: "keeps the thread; use 'value(for:)'")
    public func blockingValue<Value: Codable>(
        for item: ItemIdentity,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        fetchLasting limit: Duration = .seconds(60),
        sharingFailuresFor failureTimeout: Duration? = .seconds(2),
        fetch: () throws -> Value
    ) throws -> Value {
        _ = try Lifetime(timeout: timeout, refreshAfter: refreshAfter, of: item)
        let policy = FetchPolicy(refreshAfter == nil ? .never : .due, limit: limit, failureTimeout: failureTimeout)
        return try blockingValue(for: item, policy, coding(type)) { (_: Value?) in
            Fetched(try fetch(), timeout: timeout, refreshAfter: refreshAfter)
        }
    }

    /// An item's value, fetched and stored where there is none, with a lifetime that comes with it; keeps the thread while
    /// it waits.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: what it holds.
    ///   - limit: how long a fetch may take, up to one hour, after which somebody else may begin one.
    ///   - failureTimeout: for how long, after a fetch that failed, all callers get `fetchFailed` instead of trying as
    ///     well; `nil` if each tries by itself.
    ///   - fetch: makes a new value of the old one, which is `nil` where there is none.
    /// - Throws: as the form above.
    @available(*, noasync, message: "keeps the thread; use 'value(for:)'")
    public func blockingValue<Value: Codable>(
        for item: ItemIdentity,
        as type: Value.Type = Value.self,
        fetchLasting limit: Duration = .seconds(60),
        sharingFailuresFor failureTimeout: Duration? = .seconds(2),
        fetch: (_ old: Value?) throws -> Fetched<Value>
    ) throws -> Value {
        let policy = FetchPolicy(.dueOrUnusable, limit: limit, failureTimeout: failureTimeout)
        return try blockingValue(for: item, policy, coding(type), fetch: fetch)
    }
}
