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
