/// What a search knows at an event: the time, the calls in flight, and what the history says about its values.
struct Moment {
    var values: ValueTable
    var inFlight = CallsInFlight()
    /// In nanoseconds, when the event happened that is being looked at.
    private(set) var now: UInt64 = 0

    init(_ values: ValueTable) {
        self.values = values
    }

    mutating func advance(to time: UInt64) {
        now = time
        inFlight.advance(to: time, values)
    }

    /// What an event demands of the item.
    enum Goal {
        /// That there was one since then, or none.
        case presence(since: UInt64)
        case absence(since: UInt64)
        /// That its value is none whose time is over.
        case life
    }

    func meets(_ goal: Goal, _ one: Configuration) -> Bool {
        switch goal {
        case .presence(let begin): return one.state != .absent || one.lastOther > begin
        case .absence(let begin): return one.state == .absent || one.lastOther > begin
        case .life:
            guard case .value(let value) = one.state else { return true }
            return values[value].latestDeath > now
        }
    }

    /// Whether other calls could take effect before the one that ends, and make a difference: a call in flight still
    /// has to see an item, or none; or a call in flight depends on what is there.
    ///
    /// All other calls may have taken effect unseen (``placed(_:in:)``), or may do so later.
    func hasReasonToWait(_ one: Configuration, for ending: PendingCall) -> Bool {
        let newest = one.state == .absent ? inFlight.newestPresence : inFlight.newestAbsence
        if newest > one.lastOther { return true }
        let conditional = inFlight.removals | inFlight.creations | inFlight.replaced
        let waiting = one.owed & conditional & ~ending.bit
        switch ending.kind {
        case .write, .wipe: return waiting & ~hidable(in: one) != 0
        case .create: return waiting != 0 || canHideWrites(one)
        case .replace, .remove, .absence, .presence: return waiting != 0
        }
    }

    /// Whether a removal where there is no item would make a difference: a write may have taken effect just before it.
    private func canHideWrites(_ one: Configuration) -> Bool {
        one.owed & inFlight.unseen != 0
    }

    /// Whether whatever is there may be displaced.
    func isDisplaceable(_ state: ItemState) -> Bool {
        guard case .value(let value) = state else { return true }
        return values[value].isSpent(at: now)
    }

    func permits(_ call: PendingCall, in one: Configuration) -> Bool {
        switch call.kind {
        case .write, .wipe: isDisplaceable(one.state)
        case .create: one.state == .absent
        case .remove: one.state != .absent && isDisplaceable(one.state)
        case .replace: one.state == .value(call.old) && values[call.old].lastRead <= now
        case .absence, .presence: false
        }
    }

    func isUseful(_ call: PendingCall, in one: Configuration, _ goal: Goal?) -> Bool {
        guard permits(call, in: one) else { return false }
        switch call.kind {
        case .wipe: return one.state != .absent || canHideWrites(one)
        case .remove: return true
        case .write, .create:
            let value = values[call.value]
            guard value.lastRead <= now else {
                // It would have to stay.
                if case .presence = goal { return true }
                return false
            }
            return one.state == .absent || value.replacer != nil || value.earliestDeath <= now
        case .replace, .absence, .presence: return false
        }
    }

    /// Whether all calls of its kind have the same effect.
    func isAlike(_ call: PendingCall) -> Bool {
        switch call.kind {
        case .wipe, .remove: return true
        case .write, .create:
            let value = values[call.value]
            return value.isSpent(at: now) && value.latestDeath == .max
        case .replace, .absence, .presence: return false
        }
    }
}

// MARK: - One step
extension Moment {
    /// The configuration after the call took effect.
    ///
    /// Calls whose effect this one hides become optional. Writes whose values no one finds, and removals, may have
    /// taken effect just before a write; such writes also just before a removal; and one more call
    /// (``hidable(in:)``).
    func placed(_ call: PendingCall, in one: Configuration) -> Configuration {
        var next = one.placing(call.bit)
        switch call.kind {
        case .write:
            next.owed &= ~(inFlight.unseen | inFlight.wipes | hidable(in: one))
            enter(.value(call.value), &next)
        case .create, .replace: enter(.value(call.value), &next)
        case .wipe:
            next.owed &= ~(inFlight.unseen | hidable(in: one))
            enter(.absent, &next)
        case .remove:
            next.owed &= ~inFlight.unseen
            enter(.absent, &next)
        case .absence, .presence: break
        }
        return next
    }

    /// One call that depends on what is there, and that may take effect unseen just before a write or removal that
    /// does not depend on it.
    ///
    /// Only one: after it, the item is no longer what a second one needs.
    private func hidable(in one: Configuration) -> CallSet {
        let candidates = one.state == .absent ? inFlight.unseenCreations : inFlight.removals
        return inFlight.first(of: one.owed & candidates)
    }

    private func enter(_ state: ItemState, _ one: inout Configuration) {
        if (one.state == .absent) != (state == .absent) { one.lastOther = now + 1 }
        one.state = state
        one = settled(one)
    }

    /// The same, with calls made optional that would change nothing: removals where there is no item, and writes
    /// whose values no one finds where there is such a value already.
    func settled(_ one: Configuration) -> Configuration {
        var one = one
        if case .value(let value) = one.state, values[value].earliestDeath == .max, values[value].isSpent(at: now) {
            one.state = .anonymous
        }
        switch one.state {
        case .absent: one.owed &= ~inFlight.wipes
        case .anonymous: one.owed &= ~inFlight.unseenForEver
        case .value: break
        }
        return one
    }

    /// After its value has died.
    func died(_ one: Configuration) -> Configuration {
        var next = one
        enter(.absent, &next)
        return next
    }
}

// MARK: - Which configurations are superfluous
extension Moment {
    /// Whether the first can do all that the second can.
    func covers(_ one: Configuration, _ other: Configuration) -> Bool {
        guard one.owed & ~other.owed == 0, other.open & ~one.open == 0 else { return false }
        let newest = one.state == .absent ? inFlight.newestPresence : inFlight.newestAbsence
        guard one.lastOther >= min(other.lastOther, newest) else { return false }
        return one.state == other.state || livesAsLong(one.state, other.state)
    }

    /// Whether the first is a value that can be displaced, or die, whenever the second can.
    func livesAsLong(_ one: ItemState, _ other: ItemState) -> Bool {
        guard case .value(let value) = one, values[value].isSpent(at: now), other != .absent else { return false }
        guard case .value(let second) = other else { return values[value].latestDeath == .max }
        return values[second].isSpent(at: now) && values[value].latestDeath >= values[second].latestDeath
            && values[value].earliestDeath <= max(values[second].earliestDeath, now)
    }
}
