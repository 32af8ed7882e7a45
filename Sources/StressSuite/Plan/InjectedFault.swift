/// Fault injection: what a store that is broken on purpose does wrong.
package enum InjectedFault: String, Codable, Sendable, CaseIterable {
    /// Says that it has written, and has not.
    case dropWrite = "drop-write"
    /// Returns the beginning of a value with the end of another.
    case tearValue = "tear-value"
    /// Returns what was there before.
    case staleRead = "stale-read"
    /// Says that it has deleted, and has not.
    case keepDeleted = "keep-deleted"
    /// Lets two workers change an item at once.
    case loseUpdate = "lose-update"
    /// Grants one lease to two holders.
    case shareLease = "share-lease"
    /// Keeps an item beyond its timeout.
    case outlive = "outlive"
    /// Leaves an item out of the list.
    case shortList = "short-list"

    /// The workloads that have what it breaks, the best one to show it first.
    var workloads: [Workload] {
        switch self {
        case .dropWrite: [.mixed, .readHeavy, .writeHeavy, .classic, .expiry, .lease, .quota, .sessions]
        case .tearValue, .staleRead:
            [.writeHeavy, .mixed, .readHeavy, .update, .classic, .expiry, .lease, .quota, .sessions]
        case .keepDeleted: [.mixed, .classic, .quota, .sessions]
        case .shortList: [.mixed, .quota, .sessions]
        case .loseUpdate: [.update]
        case .shareLease: [.lease, .shortLease]
        case .outlive: [.expiry, .mixed, .readHeavy, .writeHeavy, .classic, .lease, .quota]
        }
    }
}
