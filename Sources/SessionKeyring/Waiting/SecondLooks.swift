import Glibc

/// How often something is looked at again that changes between two system calls, and how far apart the looks are.
///
/// They don't wait for others: each look is expected to be the last. A store that is displaced again and again within
/// microseconds ends as `contended`.
enum SecondLooks {
    /// Searches for a key that is displaced, and listings of a ring of which keys are, each time, before they are used.
    static let displacedKeys = 1_000
    /// How many of them follow each other without a pause.
    static let quickRounds = 20
    /// Uses of a ring that is removed or replaced, each time, before they are through.
    static let replacedRings = 8
    /// Attempts to make a ring that another process makes, or removes, first.
    static let madeRings = 3
    /// Refusals by a ring that is the right one, of which only one that lasts counts.
    static let refusedWrites = 4
    /// The same for a search, with pauses between 50 us and 1.6 ms.
    static let refusedSearches = 6
    /// Writes whose lease is lost, or before which others change the item, each time.
    static let lostLeases = 10
    /// Looks at a lease that is being released.
    static let leaseLooks = 3
    /// Listings of an anchor of which rings vanish, each time, before they are described.
    static let listings = 20
    /// Looks into the kernel's table of keys for items that are replaced, each time, before it is read.
    static let tableLooks = 6

    /// Pauses before a round that is not one of the first.
    ///
    /// Writers that wait for the same ring use it one by one, each of them between a look at the ring and the use of
    /// the result. A thread in step with them loses hundreds of rounds in a row, and one out of step a few.
    static func keepApart(_ round: Int) {
        if round > quickRounds { Pause.sleep(.microseconds(.random(in: 50...1_000))) }
    }

    /// Before another write to a ring that refused one.
    static func afterRefusedWrite() { Pause.sleep(.microseconds(200)) }
    /// Before another look at a lease whose record is hidden for a moment, because it is being released.
    static func afterHiddenRecord() { Pause.sleep(.milliseconds(1)) }
    /// Before another look at a ring that another process may be removing.
    static func afterRestrictedRing() { Pause.sleep(.milliseconds(1)) }
    /// Before another look at keys that could not be read, perhaps because they were being displaced.
    static func afterUnreadableKeys() { Pause.sleep(.milliseconds(50)) }
    /// Between searches that are refused, perhaps by the kernel's mistake.
    static var refusalBackoff: Backoff { Backoff(from: .microseconds(50), upTo: .microseconds(1_600)) }
}
