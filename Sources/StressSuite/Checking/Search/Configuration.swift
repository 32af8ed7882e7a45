/// What an item may be at a moment.
enum ItemState: Hashable {
    case absent
    /// A value that no later call finds and that never expires: all of these are alike.
    case anonymous
    case value(Int32)
}

/// One way in which the calls until now may have taken effect.
///
/// A call in flight is *owed* (it has not taken effect, and must), *optional* (open and not owed: it may have taken
/// effect or not, whichever suits what follows), or placed (neither). Optional calls keep the number of
/// configurations small: where a value is overwritten, every write in flight whose value no one reads may have taken
/// effect just before, unseen, and it does not matter which of them did.
struct Configuration: Hashable {
    var state: ItemState
    /// Just after the item last was what it is not now: there, or absent; 0 for never.
    ///
    /// That satisfies every call in flight that began before and saw just that.
    var lastOther: UInt64
    var open: CallSet
    var owed: CallSet

    /// Without that call in flight.
    func placing(_ bit: CallSet) -> Configuration {
        Configuration(state: state, lastOther: lastOther, open: open & ~bit, owed: owed & ~bit)
    }
}

/// Configurations none of which can do only what another one can do too.
struct ConfigurationSet {
    private(set) var members: [Configuration] = []
    /// Beyond a number of members only those that are the same are found to be superfluous.
    private var known: Set<Configuration> = []
    private static let compared = 128

    var count: Int { members.count }

    mutating func removeAll() {
        members.removeAll(keepingCapacity: true)
        if !known.isEmpty { known.removeAll() }
    }

    /// - Returns: whether it is new.
    mutating func insert(_ one: Configuration, at moment: Moment) -> Bool {
        for member in members.prefix(Self.compared) where moment.covers(member, one) { return false }
        if members.count <= Self.compared {
            members.removeAll { moment.covers(one, $0) }
        } else {
            if known.isEmpty { known.formUnion(members) }
            guard known.insert(one).inserted else { return false }
        }
        members.append(one)
        return true
    }
}

// MARK: - All at once
extension ConfigurationSet {
    /// A call begins.
    mutating func open(_ bit: CallSet, isOwed: Bool) {
        for index in members.indices {
            members[index].open |= bit
            if isOwed { members[index].owed |= bit }
        }
        if !known.isEmpty { known.removeAll() }
    }

    /// A call has ended; its bit may mean another one.
    mutating func forget(_ bit: CallSet) {
        guard bit != 0 else { return }
        for index in members.indices { members[index] = members[index].placing(bit) }
        if !known.isEmpty { known.removeAll() }
    }
}
