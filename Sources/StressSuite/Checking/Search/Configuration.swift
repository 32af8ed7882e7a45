/// A state that an item can be in.
enum ItemState: Hashable {
    case absent
    /// A value that no later call finds and that never expires. All such values are alike.
    case anonymous
    case value(Int32)
}

/// One way in which the calls so far can have taken effect.
///
/// A call in flight is *owed* (it has not taken effect, and must), *optional* (open and not owed: it can have taken
/// effect or not, whichever suits the later calls), or placed (neither open nor owed). Optional calls keep the number
/// of configurations small. If a value is overwritten, each write in flight whose value nobody reads can have taken
/// effect just before, unseen. It does not matter which of them did.
struct Configuration: Hashable {
    var state: ItemState
    /// Just after the last moment at which the item was in the opposite state, present or absent; 0 for never.
    ///
    /// This satisfies every call in flight that began before that time and saw the opposite state.
    var lastOther: UInt64
    var open: CallSet
    var owed: CallSet

    /// The same configuration after placing a call in flight.
    func placing(_ bit: CallSet) -> Configuration {
        Configuration(state: state, lastOther: lastOther, open: open & ~bit, owed: owed & ~bit)
    }
}

/// A set of configurations without superfluous ones: no member covers another one.
struct ConfigurationSet {
    private(set) var members: [Configuration] = []
    /// All members, if there are more than `compared`: then only identical configurations count as superfluous.
    private var known: Set<Configuration> = []
    private static let compared = 128

    var count: Int { members.count }

    mutating func removeAll() {
        members.removeAll(keepingCapacity: true)
        if !known.isEmpty { known.removeAll() }
    }

    /// Adds a configuration unless it is superfluous.
    ///
    /// - Returns: whether the configuration is new.
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

// MARK: - Changes to all members
extension ConfigurationSet {
    /// Opens a call that has begun.
    mutating func open(_ bit: CallSet, isOwed: Bool) {
        for index in members.indices {
            members[index].open |= bit
            if isOwed { members[index].owed |= bit }
        }
        if !known.isEmpty { known.removeAll() }
    }

    /// Forgets a call that has ended, so that another call can use its bit.
    mutating func forget(_ bit: CallSet) {
        guard bit != 0 else { return }
        for index in members.indices { members[index] = members[index].placing(bit) }
        if !known.isEmpty { known.removeAll() }
    }
}
