/// How an item is fetched.
package struct FetchPolicy: Sendable {
    /// Whether it is fetched anew before it is gone.
    let refreshes: Bool
    /// Whether whoever fetches it anew gets the old value at once.
    let answersEarly: Bool
    /// How long a fetch may take.
    let limit: Duration
    /// For how long nobody tries again after a failure; `nil` where each tries by itself.
    let failureTimeout: Duration?
    /// For how long a task that fetches takes the lease at a time, which it renews.
    let leaseDuration: Duration

    package init(
        refreshes: Bool, answersEarly: Bool = false, limit: Duration, failureTimeout: Duration? = nil,
        leaseDuration: Duration = .seconds(10)
    ) {
        self.refreshes = refreshes
        self.answersEarly = answersEarly
        self.limit = limit
        self.failureTimeout = failureTimeout
        self.leaseDuration = leaseDuration
    }
}
