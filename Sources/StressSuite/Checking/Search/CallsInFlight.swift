/// The calls in flight, in the order in which they must have taken effect, and grouped by kind.
struct CallsInFlight {
    private(set) var calls: [PendingCall] = []
    private var free = CallSet.max

    /// Removals that succeed in any state of the item.
    private(set) var wipes: CallSet = 0
    /// Removals that found an item.
    private(set) var removals: CallSet = 0
    /// Writes that succeed only if the item is absent.
    private(set) var creations: CallSet = 0
    /// The creations whose values no later call finds.
    private(set) var unseenCreations: CallSet = 0
    /// Writes that succeed in any state and whose values no later call finds.
    ///
    /// They can take effect unseen.
    private(set) var unseen: CallSet = 0
    /// The unseen writes whose values never expire.
    private(set) var unseenForEver: CallSet = 0
    /// Writes of a value that an update replaces.
    private(set) var replaced: CallSet = 0
    /// Writes of a value that must stay for a later call.
    private var seen: CallSet = 0

    /// Just after the latest beginning of a call in flight that saw no item; 0 without such a call.
    private(set) var newestAbsence: UInt64 = 0
    /// Just after the latest beginning of a call in flight that saw an item; 0 without such a call.
    private(set) var newestPresence: UInt64 = 0

    /// A bit that no call in flight has; `nil` if there are too many calls.
    func freeBit() -> CallSet? {
        free == 0 ? nil : 1 << CallSet(free.trailingZeroBitCount)
    }

    mutating func add(_ call: PendingCall, _ values: ValueTable) {
        var place = calls.endIndex
        while place > 0, calls[place - 1].deadline > call.deadline { place -= 1 }
        calls.insert(call, at: place)
        free &= ~call.bit
        switch call.kind {
        case .write, .create:
            if call.kind == .create { creations |= call.bit }
            seen |= call.bit
            if values[call.value].replacer != nil { replaced |= call.bit }
        case .replace: break
        case .wipe: wipes |= call.bit
        case .remove: removals |= call.bit
        case .absence: newestAbsence = max(newestAbsence, call.invoked + 1)
        case .presence: newestPresence = max(newestPresence, call.invoked + 1)
        }
    }

    /// Removes the call with the earliest deadline.
    mutating func removeFirst() -> PendingCall {
        let call = calls.removeFirst()
        let others = ~call.bit
        free |= call.bit
        wipes &= others
        removals &= others
        creations &= others
        unseenCreations &= others
        unseen &= others
        unseenForEver &= others
        replaced &= others
        seen &= others
        switch call.kind {
        case .absence: newestAbsence = newest(.absence)
        case .presence: newestPresence = newest(.presence)
        case .write, .create, .replace, .wipe, .remove: break
        }
        return call
    }

    /// Notes which values no call that begins later needs any more.
    mutating func advance(to now: UInt64, _ values: ValueTable) {
        guard seen & ~replaced != 0 else { return }
        for call in calls where call.bit & seen & ~replaced != 0 && values[call.value].isSpent(at: now) {
            seen &= ~call.bit
            if call.kind == .create {
                unseenCreations |= call.bit
            } else {
                unseen |= call.bit
                if values[call.value].latestDeath == .max { unseenForEver |= call.bit }
            }
        }
    }

    /// The bit of the call with the earliest deadline in a set; 0 for an empty set.
    func first(of set: CallSet) -> CallSet {
        guard set != 0 else { return 0 }
        return calls.first { $0.bit & set != 0 }?.bit ?? 0
    }

    private func newest(_ kind: PendingCall.Kind) -> UInt64 {
        calls.reduce(0) { $1.kind == kind ? max($0, $1.invoked + 1) : $0 }
    }
}
