/// How an item is fetched.
package struct FetchPolicy: Sendable {
    /// Whether what is there is fetched anew before it is gone.
    package enum Refreshing: Sendable {
        case never
        /// Where nothing says that it is fresh; others get it meanwhile.
        case due
        /// The same, but others get it only where something says that it is usable.
        case dueOrUnusable
    }

    let refreshing: Refreshing
    /// Whether whoever fetches it anew gets the old value at once.
    let answersEarly: Bool
    /// How long a fetch may take.
    let limit: Duration
    /// For how long nobody tries again after a failure; `nil` where each tries by itself.
    let failureTimeout: Duration?
    /// For how long a task that fetches takes the lease at a time, which it renews.
    let leaseDuration: Duration

    package init(
        _ refreshing: Refreshing, answersEarly: Bool = false, limit: Duration, failureTimeout: Duration? = nil,
        leaseDuration: Duration = .seconds(10)
    ) {
        self.refreshing = refreshing
        self.answersEarly = answersEarly
        self.limit = limit
        self.failureTimeout = failureTimeout
        self.leaseDuration = leaseDuration
    }
}
