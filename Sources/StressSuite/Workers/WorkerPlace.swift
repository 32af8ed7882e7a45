/// Which of a run's workers it is, and which items it uses.
struct WorkerPlace: Sendable {
    /// Its log in the shared log.
    let slot: Int
    /// How often its process was started before; each start has other choices and other stamps.
    let incarnation: Int
    /// The first part of its stamps, which no other worker of the run has.
    let number: UInt32
    /// Where its items begin among those of the whole run: not 0 where each worker has items of its own.
    let firstItem: Int

    init(slot: Int, incarnation: Int, plan: StressPlan) {
        self.slot = slot
        self.incarnation = incarnation
        // Number 0 is the run's own, for the reads after the workers have ended.
        number = UInt32(1 + incarnation * plan.workers + slot)
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
    /// How many workers there are at a time.
    package var workers: Int { workload == .classic ? ClassicRole.workers.count : threads * processes }
    /// How many threads with workers a process has.
    var workersPerProcess: Int { workload == .classic ? ClassicRole.workers.count : threads }
    /// How many items there are in all.
    var allItems: Int { workload == .sessions ? workers * items : items }
}
