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
        fetchLasting limit: Duration = .seconds(60), sharingFailuresFor failureTimeout: Duration? = nil,
        fetch: @escaping @Sendable () async throws -> Secret
    ) async throws -> Secret {
        _ = try Lifetime(timeout: timeout, refreshAfter: refreshAfter, of: item)
        let policy = FetchPolicy(
            refreshes: refreshAfter != nil, answersEarly: staleWhileRefreshing, limit: limit,
            failureTimeout: failureTimeout)
        return try await store.value(for: item, policy, { self.coding }) { (_: Secret?) in
            Fetched(try await fetch(), timeout: timeout, refreshAfter: refreshAfter)
        }
    }

    /// The value, fetched and saved where there is none, with a lifetime that comes with it.
    ///
    /// - Parameters:
    ///   - staleWhileRefreshing: whether the one that fetches it anew gets the old value too, at once.
    ///   - limit: how long a fetch may take, up to one hour.
    ///   - failureTimeout: for how long, after a fetch that failed, all others get `fetchFailed` instead of trying as well.
    ///   - fetch: makes a new value of the old one, which is `nil` where there is none.
    /// - Throws: as ``SecretStore/value(for:as:staleWhileRefreshing:fetchLasting:sharingFailuresFor:fetch:)`` does.
    public func value(
        staleWhileRefreshing: Bool = false, fetchLasting limit: Duration = .seconds(60),
        sharingFailuresFor failureTimeout: Duration? = nil,
        fetch: @escaping @Sendable (_ old: Secret?) async throws -> Fetched<Secret>
    ) async throws -> Secret {
        let policy = FetchPolicy(
            refreshes: true, answersEarly: staleWhileRefreshing, limit: limit, failureTimeout: failureTimeout)
        return try await store.value(for: item, policy, { self.coding }, fetch: fetch)
    }
}
