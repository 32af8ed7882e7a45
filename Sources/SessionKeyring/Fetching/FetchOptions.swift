/// How a fetch is done; the defaults suit most programs.
public struct FetchOptions: Sendable {
    /// Whether the caller that fetches a value again gets the old value without waiting for the new one.
    let answersEarly: Bool
    /// How long a fetch is allowed to take.
    let limit: Duration
    /// How long nobody tries again after a failure; `nil` if each caller tries itself.
    let retryAfter: Duration?
    /// The size of a first value, in bytes, for which a refresh reserves room.
    let firstValueSize: Int

    /// Creates options.
    ///
    /// - Parameters:
    ///   - staleWhileRefreshing: whether the caller that fetches the value again also gets the old value if it is
    ///     usable, without waiting for the closure, while the fetch continues in the background. If the process ends
    ///     before the fetch does, the new value is lost, and with it a refresh token that it replaced. So use this only
    ///     in processes that live on.
    ///   - limit: how long a fetch is allowed to take, 10 milliseconds to one hour.
    ///   - retryAfter: how long after a failed fetch nobody tries again, in any process; more than zero, rounded up to
    ///     whole seconds. Until then, callers get the old value if it is usable, otherwise `fetchFailed`. `nil` if each
    ///     caller tries itself.
    ///   - firstValueSize: the room, in bytes as they are stored, that
    ///     ``SecretStore/refreshedValue(for:as:options:fetch:)`` reserves before it fetches an item that does not exist;
    ///     at most 32,767. For an existing value, it reserves that value's size and 1,024 bytes more.
    public init(
        staleWhileRefreshing: Bool = false, limit: Duration = .seconds(60), retryAfter: Duration? = .seconds(2),
        firstValueSize: Int = 2_048
    ) {
        (answersEarly, self.limit) = (staleWhileRefreshing, limit)
        (self.retryAfter, self.firstValueSize) = (retryAfter, firstValueSize)
    }
}

/// The closure of ``SecretStore/refreshedValue(for:as:options:fetch:)`` throws this if the old value can't be refreshed,
/// for example because the server refuses its refresh token.
///
/// The store then calls the closure again, without the old value. The limit still counts from the first call. If the
/// closure got no old value, the callers get this error.
public struct RefusedOldValue: Error {
    /// Creates the error.
    public init() {}
}

/// The rules for fetching an item.
package struct FetchPolicy: Sendable {
    /// When an existing value is fetched again before it expires.
    package enum Refreshing: Sendable {
        case never
        /// If no facts state that the value is fresh. During the fetch, other callers get the old value.
        case due
        /// Like `due`, but other callers get the old value only if facts state that it is usable.
        case dueOrUnusable
    }

    let refreshing: Refreshing
    /// Whether a value may be fetched only once, because each fetch uses up what the next one needs.
    ///
    /// Then a fetch is begun only under a lease and with room for its result, and never abandoned.
    let isStrict: Bool
    let options: FetchOptions
    /// How long the lease of a fetch lasts after each renewal.
    let leaseDuration: Duration

    package init(
        _ refreshing: Refreshing, isStrict: Bool = false, _ options: FetchOptions = FetchOptions(),
        leaseDuration: Duration = .seconds(10)
    ) {
        (self.refreshing, self.isStrict) = (refreshing, isStrict)
        (self.options, self.leaseDuration) = (options, leaseDuration)
    }

    /// The policy for a value with a fixed lifetime.
    init(for lifetime: Lifetime, _ options: FetchOptions) {
        let refreshing: Refreshing =
            if lifetime.usableFor != nil { .dueOrUnusable } else { lifetime.refreshAfter == nil ? .never : .due }
        self.init(refreshing, options)
    }
}
