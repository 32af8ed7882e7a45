/// Which of a run's actors it is, and which items are its.
struct ActorPlace: Sendable {
    /// Its log on the board.
    let slot: Int
    /// Which start of its process, from 0; each has other choices and other stamps.
    let incarnation: Int
    /// What its stamps begin with: no two actors of a run have the same.
    let number: UInt32
    /// Where its items begin among those of the whole run: not 0 where each actor has items of its own.
    let firstItem: Int

    init(slot: Int, incarnation: Int, plan: StressPlan) {
        self.slot = slot
        self.incarnation = incarnation
        // Number 0 is the run's own, for the looks behind the actors.
        number = UInt32(1 + incarnation * plan.actors + slot)
        firstItem = plan.workload == .sessions ? slot * plan.items : 0
    }

    init(observerOfItemsFrom firstItem: Int) {
        slot = -1
        incarnation = 0
        number = 0
        self.firstItem = firstItem
    }
}

extension StressPlan {
    /// How many actors there are at a time.
    package var actors: Int { workload == .classic ? ClassicRole.team.count : threads * processes }
    /// How many threads with actors a process has.
    var actorsPerProcess: Int { workload == .classic ? ClassicRole.team.count : threads }
    /// How many items there are in all.
    var allItems: Int { workload == .sessions ? actors * items : items }
}
