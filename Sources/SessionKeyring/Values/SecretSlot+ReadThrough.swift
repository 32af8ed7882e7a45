extension SecretSlot {
    /// The value, fetched and saved with the slot's timeout where there is none, by one for all who want it.
    ///
    /// - Parameters:
    ///   - refreshAfter: after how long one of those who ask fetches it anew; `nil` for not before it is gone.
    ///   - staleWhileRefreshing: whether the one that fetches it anew gets the old value too, at once.
    ///   - limit: how long a fetch may take, up to one hour.
    ///   - failureTimeout: for how long, after a fetch that failed, all others get `fetchFailed` instead of trying as well.
    ///   - fetch: gets the value from where it comes.
    /// - Throws: as ``SecretStore/value(for:as:timeout:refreshAfter:staleWhileRefreshing:fetchLasting:sharingFailuresFor:fetch:)``
    ///   does.
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

    /// The value, fetched and saved where there is none, with a lifetime that comes with it; where none comes, the slot's
    /// timeout.
    ///
    /// - Parameters:
    ///   - staleWhileRefreshing: whether the one that fetches it anew gets the old value too, at once.
    ///   - limit: how long a fetch may take, up to one hour.
    ///   - failureTimeout: for how long, after a fetch that failed, all others get `fetchFailed` instead of trying as well.
    ///   - fetch: makes a new value of the old one, which is `nil` where there is none.
    /// - Throws: as ``SecretStore/value(for:as:staleWhileRefreshing:fetchLasting:sharingFailuresFor:fetch:)`` does.
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

    /// The value, fetched and saved with the slot's timeout if there is none; keeps the thread while it waits.
    ///
    /// - Parameters:
    ///   - refreshAfter: after how long one of those who ask fetches it again; `nil` for not before it has expired.
    ///   - limit: how long a fetch may take, up to one hour, after which somebody else may begin one.
    ///   - failureTimeout: for how long, after a fetch that failed, all callers get `fetchFailed` instead of trying
    ///     as well; `nil` if each tries by itself.
    ///   - fetch: gets the value from its source.
    /// - Throws: as ``SecretStore/blockingValue(for:as:timeout:refreshAfter:fetchLasting:sharingFailuresFor:fetch:)``.
    @available(*, noasync, message: "keeps the thread; use 'value'")
    public func blockingValue(
        refreshAfter: Duration? = nil, fetchLasting limit: Duration = .seconds(60),
        sharingFailuresFor failureTimeout: Duration? = .seconds(2), fetch: () throws -> Secret
    ) throws -> Secret {
        _ = try Lifetime(timeout: timeout, refreshAfter: refreshAfter, of: item)
        let policy = FetchPolicy(refreshAfter == nil ? .never : .due, limit: limit, failureTimeout: failureTimeout)
        return try store.blockingValue(for: item, policy, coding) { (_: Secret?) in
            Fetched(try fetch(), timeout: timeout, refreshAfter: refreshAfter)
        }
    }

    /// The value, fetched and saved where there is none, as `value` does; keeps the thread while it waits.
    ///
    /// - Parameters:
    ///   - limit: how long a fetch may take, up to one hour, after which somebody else may begin one.
    ///   - failureTimeout: for how long, after a fetch that failed, all others get `fetchFailed` instead of trying as well.
    ///   - fetch: makes a new value of the old one, which is `nil` where there is none.
    /// - Throws: as ``SecretStore/blockingValue(for:as:fetchLasting:sharingFailuresFor:fetch:)`` does.
    @available(*, noasync, message: "keeps the thread; use 'value'")
    public func blockingValue(
        fetchLasting limit: Duration = .seconds(60), sharingFailuresFor failureTimeout: Duration? = .seconds(2),
        fetch: (_ old: Secret?) throws -> Fetched<Secret>
    ) throws -> Secret {
        let policy = FetchPolicy(.dueOrUnusable, limit: limit, failureTimeout: failureTimeout)
        return try store.blockingValue(for: item, policy, coding) { old in
            var fetched = try fetch(old)
            fetched.timeout = fetched.timeout ?? timeout
            return fetched
        }
    }

    /// Says that a value was refused, as ``SecretStore/invalidate(_:for:)`` does; false where it is not what is stored.
    ///
    /// - Throws: ``SecretStoreError`` as ``SecretStore/invalidate(_:for:)``.
    @discardableResult
    public func invalidate(_ refused: Secret) throws -> Bool where Secret: Equatable {
        try store.invalidate(refused, for: item, coding)
    }

    /// The same for tasks, which waits for others up to `limit` without keeping a thread.
    ///
    /// - Throws: `CancellationError`, or as ``invalidate(_:)``.
    @discardableResult
    public nonisolated(nonsending) func invalidate(
        _ refused: Secret, waiting limit: Duration
    ) async throws -> Bool where Secret: Equatable {
        try await store.invalidate(refused, for: item, coding, waiting: limit)
    }
}
