/// The knowledge of a search at an event: the time, the calls in flight, and the facts about the history's values.
struct Moment {
    var values: ValueTable
    var inFlight = CallsInFlight()
    /// The time of the current event, in nanoseconds.
    private(set) var now: UInt64 = 0

    init(_ values: ValueTable) {
        self.values = values
    }

    mutating func advance(to time: UInt64) {
        now = time
        inFlight.advance(to: time, values)
    }

    /// A condition that an event imposes on the item.
    enum Goal {
        /// The item existed at some moment since that time.
        case presence(since: UInt64)
        /// The item was absent at some moment since that time.
        case absence(since: UInt64)
        /// The item does not have a value that must have expired by now.
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

    /// Whether it can make a difference that other calls take effect before the call that ends.
    ///
    /// It can if a call in flight still has to see an item, or still has to see that there isn't one. It can also if a
    /// call in flight depends on the state of the item. All other calls either can have taken effect unseen already
    /// (``placed(_:in:)``), or can take effect later.
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

    /// Whether removing an absent item can make a difference, because an unseen write took effect just before.
    private func canHideWrites(_ one: Configuration) -> Bool {
        one.owed & inFlight.unseen != 0
    }

    /// Whether other calls can displace this state, because no later call finds its value.
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
                // A later call finds this value, so it would have to stay.
                if case .presence = goal { return true }
                return false
            }
            return one.state == .absent || value.replacer != nil || value.earliestDeath <= now
        case .replace, .absence, .presence: return false
        }
    }

    /// Whether the call is interchangeable with all calls of its kind for which this is also true.
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
    /// The configuration after the call has taken effect.
    ///
    /// Calls whose effect this call hides become optional. Removals, and writes whose values nobody finds, can have
    /// taken effect just before a write. Such writes can also have taken effect just before a removal. One more call
    /// can have done so, too (``hidable(in:)``).
    func placed(_ call: PendingCall, in one: Configuration) -> Configuration {
        var next = one.placing(call.bit)
        switch call.kind {
        case .write:
            next.owed &= ~(inFlight.unseen | inFlight.wipes | hidable(in: one))
            return entering(.value(call.value), next)
        case .create, .replace: return entering(.value(call.value), next)
        case .wipe:
            next.owed &= ~(inFlight.unseen | hidable(in: one))
            return entering(.absent, next)
        case .remove:
            next.owed &= ~inFlight.unseen
            return entering(.absent, next)
        case .absence, .presence: return next
        }
    }

    /// One call that depends on the item and can take effect unseen just before a call that does not.
    ///
    /// The second call is a write or a removal that succeeds in any state of the item. Only one call can be hidden in
    /// this way: after it, the item is no longer in the state that another one needs.
    private func hidable(in one: Configuration) -> CallSet {
        let candidates = one.state == .absent ? inFlight.unseenCreations : inFlight.removals
        return inFlight.first(of: one.owed & candidates)
    }

    /// The configuration after the item has changed to a state, now.
    func entering(_ state: ItemState, _ one: Configuration) -> Configuration {
        var next = one
        if (one.state == .absent) != (state == .absent) { next.lastOther = now + 1 }
        next.state = state
        return settled(next)
    }

    /// The same configuration, after making those calls optional that would change nothing.
    ///
    /// These are removals if the item is absent, and writes whose values nobody finds if the item already has such
    /// a value.
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
}

// MARK: - Which configurations are superfluous
extension Moment {
    /// Whether the first configuration can do everything that the second can.
    func covers(_ one: Configuration, _ other: Configuration) -> Bool {
        guard one.owed & ~other.owed == 0, other.open & ~one.open == 0 else { return false }
        let newest = one.state == .absent ? inFlight.newestPresence : inFlight.newestAbsence
        guard one.lastOther >= min(other.lastOther, newest) else { return false }
        return one.state == other.state || livesAsLong(one.state, other.state)
    }

    /// Whether the first state is a value that can be displaced, or can expire, whenever the second one can.
    func livesAsLong(_ one: ItemState, _ other: ItemState) -> Bool {
        guard case .value(let value) = one, values[value].isSpent(at: now), other != .absent else { return false }
        guard case .value(let second) = other else { return values[value].latestDeath == .max }
        return values[second].isSpent(at: now) && values[value].latestDeath >= values[second].latestDeath
            && values[value].earliestDeath <= max(values[second].earliestDeath, now)
    }
}
