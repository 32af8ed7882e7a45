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
