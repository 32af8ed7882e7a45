/// Identifies a worker of a run and its items.
struct WorkerPlace: Sendable {
    /// The index of the worker's log in the shared log.
    let slot: Int
    /// The first part of the worker's stamps, which no other worker of the run has.
    let number: UInt32
    /// The number of the worker's first item in the whole run; 0 unless each worker has its own items.
    let firstItem: Int

    /// The run itself, which reads all items after the workers have ended.
    static let observer = WorkerPlace(slot: -1, number: 0, firstItem: 0)
}

extension WorkerPlace {
    /// - Parameter incarnation: how often the worker's process was started before; each start makes different choices
    ///   and stamps.
    init(slot: Int, incarnation: Int, plan: StressPlan) {
        self.slot = slot
        // Number 0 belongs to the observer.
        number = UInt32(1 + incarnation * plan.workers + slot)
        firstItem = plan.workload == .sessions ? slot * plan.items : 0
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
