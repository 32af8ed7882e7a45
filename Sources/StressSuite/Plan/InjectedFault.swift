import Keyutils

/// A fault to inject into the store under test.
package enum InjectedFault: String, Codable, Sendable, CaseIterable {
    /// Reports a write as done without writing.
    case dropWrite = "drop-write"
    /// Returns the beginning of one value with the end of another one.
    case tearValue = "tear-value"
    /// Returns an earlier value.
    case staleRead = "stale-read"
    /// Reports an item as deleted without deleting it.
    case keepDeleted = "keep-deleted"
    /// Lets two workers change an item at the same time.
    case loseUpdate = "lose-update"
    /// Grants one lease to two holders.
    case shareLease = "share-lease"
    /// Keeps an item beyond its timeout.
    case outlive = "outlive"
    /// Leaves an item out of the list.
    case shortList = "short-list"

    /// The workloads that the fault breaks, beginning with the one that shows it best.
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
