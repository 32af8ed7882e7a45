/// Finds the configurations that result from placing calls in flight.
extension HistorySearch {
    /// Reaches all configurations that meet the goal, and explores none of them any further.
    mutating func reach(_ goal: Moment.Goal) {
        start()
        for one in configurations.members { explore(moment.settled(one)) }
        while !hasTooMany, let one = frontier.popLast() {
            if moment.meets(goal, one) { keep(one) } else { pushMoves(from: one, except: 0, goal) }
        }
    }

    /// Reaches all configurations that place this call last, and those that don't have to place it.
    mutating func reach(placing call: PendingCall) {
        start()
        for one in configurations.members {
            let one = moment.settled(one)
            if one.open & call.bit != 0 { explore(one) }
            if one.owed & call.bit == 0 { keep(one.placing(call.bit)) }
        }
        while !hasTooMany, let one = frontier.popLast() {
            let isPossible = moment.permits(call, in: one)
            if isPossible { keep(moment.placed(call, in: one)) }
            if !isPossible || moment.hasReasonToWait(one, for: call) { pushMoves(from: one, except: call.bit) }
        }
    }

    mutating func keep(_ one: Configuration) {
        _ = reached.insert(one, at: moment)
    }

    private mutating func start() {
        reached.removeAll()
        explored.removeAll()
        frontier.removeAll(keepingCapacity: true)
    }

    private mutating func explore(_ one: Configuration) {
        if explored.insert(one, at: moment) { frontier.append(one) }
    }
}

// MARK: - Steps on the way
extension HistorySearch {
    /// Explores every call that can take effect before the call that ends, if that makes a difference.
    ///
    /// Of calls with the same effect, only the one with the earliest deadline is explored: any other order can be
    /// changed into this one. On the way to the end, only calls that create or remove the item are useful. All other
    /// calls can just as well take effect later.
    private mutating func pushMoves(from one: Configuration, except excluded: CallSet, _ goal: Moment.Goal? = nil) {
        guard moment.isDisplaceable(one.state) else { return pushReplacement(from: one, except: excluded) }
        // The kinds of alike calls that have been explored: two bits for each kind, for optional and
        // for owed calls.
        var taken: UInt16 = 0
        for call in moment.inFlight.calls where one.open & call.bit != 0 {
            guard moment.isUseful(call, in: one, goal) else { continue }
            if moment.isAlike(call) {
                let kind: UInt16 = 1 << (2 * call.kind.rawValue + (one.owed & call.bit != 0 ? 1 : 0))
                guard taken & kind == 0 else { continue }
                taken |= kind
            }
            if call.bit & excluded == 0 { explore(moment.placed(call, in: one)) }
        }
        if case .value(let value) = one.state, moment.values[value].earliestDeath <= moment.now {
            explore(moment.entering(.absent, one))
        }
    }

    private mutating func pushReplacement(from one: Configuration, except excluded: CallSet) {
        for call in moment.inFlight.calls where one.open & call.bit & ~excluded != 0 {
            if call.kind == .replace, moment.permits(call, in: one) { explore(moment.placed(call, in: one)) }
        }
    }
}
