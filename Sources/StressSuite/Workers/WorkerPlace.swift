/// Identifies a worker of a run and its items.
struct WorkerPlace: Sendable {
    /// The index of the worker's log in the shared log.
    let slot: Int
    /// How often the worker's process was started before; each start makes different choices and stamps.
    let incarnation: Int
    /// The first part of the worker's stamps, which no other worker of the run has.
    let number: UInt32
    /// The number of the worker's first item in the whole run; 0 unless each worker has its own items.
    let firstItem: Int

    init(slot: Int, incarnation: Int, plan: StressPlan) {
        self.slot = slot
        self.incarnation = incarnation
        // Number 0 belongs to the run itself, for the reads after the workers have ended.
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
    /// How many workers run at the same time.
    package var workers: Int { workload == .classic ? ClassicRole.workers.count : threads * processes }
    /// How many worker threads each process has.
    var workersPerProcess: Int { workload == .classic ? ClassicRole.workers.count : threads }
    /// How many items there are in all.
    var allItems: Int { workload == .sessions ? workers * items : items }
}
