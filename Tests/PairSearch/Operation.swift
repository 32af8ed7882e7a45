/// What a process does.
enum Operation: String, CaseIterable {
    case set
    case setTimeout = "set-timeout"
    case add, delete, expire, update, clear, list, lease
    /// Giving back a lease that was taken before.
    case release
    /// A value that is fetched where there is none.
    case fetch
    /// The same, with a fetch lease that outlasts all others.
    case longFetch = "long-fetch"
    /// A set that replaces a dead ring by name, as before issue 8 (1.5).
    case ringlessSet = "set-1.5"
    /// A set that moves without a look behind it where it saw a live item, as before issue 8 (1.7).
    case unlookedSet = "set-1.7"
    /// An add that looks under the lease, and then displaces what is there by then, as before issue 8 (1.7).
    case displacingAdd = "add-1.7"
    /// A fetch that stores over whatever happened meanwhile, as before issue 8 (1.12).
    case blindFetch = "fetch-1.12"

    /// Those that the library does; the others are defects put back, to see that they are found.
    static let library: [Operation] = [
        .set, .setTimeout, .add, .delete, .expire, .update, .clear, .list, .lease, .release, .fetch,
    ]

    var isFetch: Bool { [.fetch, .longFetch, .blindFetch].contains(self) }
    var isAdd: Bool { self == .add || self == .displacingAdd }
    var isSet: Bool { [.set, .setTimeout, .ringlessSet, .unlookedSet].contains(self) }
    var concernsLease: Bool { self == .lease || self == .release }

    /// Whether what it writes has a timeout.
    var hasTimeout: Bool { [.setTimeout, .add, .update, .fetch, .longFetch, .blindFetch].contains(self) }
}
