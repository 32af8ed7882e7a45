import Glibc

/// How often, and for how long, something is tried again before it is an error: all of these limits.
///
/// A round is lost only because another process was quicker, or because this one was stopped. A budget that is used up tells
/// of a store that is displaced again and again within microseconds, and ends as `contended`.
enum RetryBudget {
    /// Searches for a key that is displaced, and listings of a ring of which keys are, each time, before they are used.
    static let displacedKeys = 1_000
    /// How many of them follow each other at once.
    static let quickRounds = 20
    /// Uses of a ring that is removed or replaced, each time, before they are through.
    static let replacedRings = 8
    /// Makings of a ring that another process makes, or removes, first.
    static let madeRings = 3
    /// Refusals by a ring that is the right one, of which only one that lasts counts.
    static let refusedWrites = 4
    /// The same for a search: pauses between 50 us and 1.6 ms.
    static let refusedSearches = 6
    /// Writes whose lease is lost, or before which others change the item, each time.
    static let lostLeases = 10
    /// Looks at a lease that is being released.
    static let leaseLooks = 3
    /// Listings of an anchor of which rings vanish, each time, before they are described.
    static let listings = 20
    /// Looks into the kernel's table of keys for items that are replaced, each time, before it is read.
    static let tableLooks = 6

    /// Waiting for others who hold an item's lease, each for a handful of system calls.
    static let heldLease = Duration.seconds(10)
    /// Waiting for a lease's name that the kernel has not yet collected, some 20 ms after the lease was taken.
    static let collectedLease = Duration.milliseconds(100)
    /// Waiting for quota in all, by rounds of ``QuotaBackoff``.
    static let fullQuota = Duration.milliseconds(600)
    /// After which what was freed has been given back: seven of the kernel's grace periods at most were seen to pass before.
    static let gracePeriods = 10

    /// Pauses before a round that is not one of the first.
    ///
    /// Writers who wait for the same ring have their turns one by one, each of them between a look at the ring and the use of
    /// what was there. A thread that keeps step with them loses hundreds of rounds in a row, and one that does not a few.
    static func keepApart(_ round: Int) {
        if round > quickRounds { usleep(.random(in: 50...1_000)) }
    }
}
