/// What the workers of a run do.
package enum Workload: String, Codable, Sendable, CaseIterable {
    case classic
    case readHeavy = "read-heavy"
    case writeHeavy = "write-heavy"
    case mixed
    case update
    case expiry
    case lease
    case shortLease = "short-lease"
    case quota
    case sessions

    /// What it does, in a line.
    package var summary: String {
        switch self {
        case .classic: "readers, writers, deleters, clearers of one item; fixed counts"
        case .readHeavy: "95 gets to 5 sets"
        case .writeHeavy: "50 gets to 50 sets"
        case .mixed: "sets, gets, deletes, clears and lists"
        case .update: "counters, read and written in one step"
        case .expiry: "items that die while they are read and written"
        case .lease: "a counter that is read, then written, under a lease"
        case .shortLease: "leases of 10 to 50 ms, given back in time, about then, or late"
        case .quota: "large items at the limit of an ordinary user's quota"
        case .sessions: "a session keyring for each thread, the same names in all of them"
        }
    }
}

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
