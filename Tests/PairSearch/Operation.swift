/// The operation of a process.
enum Operation: String, CaseIterable {
    case set
    case setTimeout = "set-timeout"
    case add, delete, expire, update, clear, list, lease
    /// Releases a lease that was taken before.
    case release
    /// Fetches a value if there isn't one.
    case fetch
    /// The same, with a fetch lease that outlasts all others.
    case longFetch = "long-fetch"
    /// Fetches a value if there isn't one that is known to be fresh, and states how long the new one is fresh.
    case refresh
    /// Marks the value that the scene has stored as refused.
    case refuse
    /// A `get` of the executable `skr`, which fetches the value from a source if there isn't one.
    case source
    /// A set that replaces a dead ring by name.
    case ringlessSet = "ringless-set"
    /// A set that doesn't look again after its move if it saw a live item.
    case unlookedSet = "unlooked-set"
    /// An add that looks under the lease and then displaces any item that exists by then.
    case displacingAdd = "displacing-add"
    /// A fetch that overwrites any change made in the meantime.
    case blindFetch = "blind-fetch"
    /// A refusal of whichever value the item has by then.
    case blindRefuse = "blind-refuse"

    /// The operations of the library.
    ///
    /// The others are defects, put back to check that the search finds them.
    static let library: [Operation] = [
        .set, .setTimeout, .add, .delete, .expire, .update, .clear, .list, .lease, .release, .fetch, .refresh, .refuse,
    ]

    var isFetch: Bool { [.fetch, .longFetch, .refresh, .source, .blindFetch].contains(self) }
    var isAdd: Bool { self == .add || self == .displacingAdd }
    var isSet: Bool { [.set, .setTimeout, .ringlessSet, .unlookedSet].contains(self) }
    var concernsLease: Bool { self == .lease || self == .release }

    /// Whether the value that it writes has a timeout.
    var hasTimeout: Bool { isFetch || [.setTimeout, .add, .update].contains(self) }
}
