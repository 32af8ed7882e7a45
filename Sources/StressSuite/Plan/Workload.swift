import Keyutils

/// The kind of work that the workers of a run do.
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

    /// A description of the workload in one line.
    package var summary: String {
        switch self {
        case .classic: "readers, writers, deleters and clearers of one item; fixed counts"
        case .readHeavy: "95% gets and 5% sets"
        case .writeHeavy: "50% gets and 50% sets"
        case .mixed: "sets, gets, deletes, clears and lists"
        case .update: "counters that are read and written in one step"
        case .expiry: "items that expire while they are read and written"
        case .lease: "a counter that is read, then written, under a lease"
        case .shortLease: "leases of 10 to 50 ms, released early, near their end, or late"
        case .quota: "large items at the limit of an ordinary user's quota"
        case .sessions: "a session keyring for each thread, all with the same item names"
        }
    }
}
