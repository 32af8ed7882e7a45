extension SecretSlot {
    /// Returns the value; if it does not exist, one caller fetches and saves it for all.
    ///
    /// The value is saved with the slot's timeout.
    ///
    /// - Parameters:
    ///   - refreshAfter: after how long one of the callers fetches the value again; `nil` to fetch it only when it no
    ///     longer exists.
    ///   - staleWhileRefreshing: whether the caller that fetches the value again also gets the old value, immediately.
    ///   - limit: how long a fetch can take, at most one hour.
    ///   - failureTimeout: how long, after a failed fetch, all other callers get `fetchFailed` instead of trying as
    ///     well; `nil` if each caller tries by itself.
    ///   - fetch: gets the value from its source.
    /// - Throws: the errors that
    ///   ``SecretStore/value(for:as:timeout:refreshAfter:staleWhileRefreshing:fetchLasting:sharingFailuresFor:fetch:)``
    ///   throws.
    public func value(
        refreshAfter: Duration? = nil, staleWhileRefreshing: Bool = false,
        fetchLasting limit: Duration = .seconds(60), sharingFailuresFor failureTimeout: Duration? = .seconds(2),
        fetch: @escaping @Sendable () async throws -> Secret
    ) async throws -> Secret {
        _ = try Lifetime(timeout: timeout, refreshAfter: refreshAfter, of: item)
        let policy = FetchPolicy(
            refreshAfter == nil ? .never : .due, answersEarly: staleWhileRefreshing, limit: limit,
            failureTimeout: failureTimeout)
        return try await store.value(for: item, policy, { self.coding }) { (_: Secret?) in
            Fetched(try await fetch(), timeout: timeout, refreshAfter: refreshAfter)
        }
    }

    /// Returns the value; if it does not exist, fetches and saves it with the lifetime that the fetch returns.
    ///
    /// If the fetch returns no timeout, the slot's timeout applies.
    ///
    /// - Parameters:
    ///   - staleWhileRefreshing: whether the caller that fetches the value again also gets the old value, immediately.
    ///   - limit: how long a fetch can take, at most one hour.
    ///   - failureTimeout: how long, after a failed fetch, all other callers get `fetchFailed` instead of trying as
    ///     well; `nil` if each caller tries by itself.
    ///   - fetch: makes a new value from the old one, which is `nil` if it does not exist.
    /// - Throws: as ``SecretStore/value(for:as:staleWhileRefreshing:fetchLasting:sharingFailuresFor:fetch:)``.
    public func value(
        staleWhileRefreshing: Bool = false, fetchLasting limit: Duration = .seconds(60),
        sharingFailuresFor failureTimeout: Duration? = .seconds(2),
        fetch: @escaping @Sendable (_ old: Secret?) async throws -> Fetched<Secret>
    ) async throws -> Secret {
        let policy = FetchPolicy(
            .dueOrUnusable, answersEarly: staleWhileRefreshing, limit: limit, failureTimeout: failureTimeout)
        return try await store.value(for: item, policy, { self.coding }) { old in
            var fetched = try await fetch(old)
            fetched.timeout = fetched.timeout ?? timeout
            return fetched
        }
    }

    /// Reports that a value was refused, as ``SecretStore/invalidate(_:for:)`` does.
    ///
    /// - Returns: false if this value is not the stored one.
    /// - Throws: ``SecretStoreError`` as ``SecretStore/invalidate(_:for:)``.
    @discardableResult
    public func invalidate(_ refused: Secret) throws -> Bool where Secret: Equatable {
        try store.invalidate(refused, for: item, coding)
    }

    /// Reports that a value was refused; waits for others for at most `limit`, without blocking a thread.
    ///
    /// - Throws: `CancellationError`, or as ``invalidate(_:)``.
    @discardableResult
    public nonisolated(nonsending) func invalidate(
        _ refused: Secret, waiting limit: Duration
    ) async throws -> Bool where Secret: Equatable {
        try await store.invalidate(refused, for: item, coding, waiting: limit)
    }
}
