import Glibc

extension StressPlan {
    /// The same with what the workload fixes.
    ///
    /// - Throws: ``StressError`` with `invalidPlan` for what can't be done.
    func checked(canLaunch: Bool) throws(StressError) -> StressPlan {
        func refuse(_ text: String, _ remedy: String) -> StressError {
            StressError(.invalidPlan, text, remedy: remedy)
        }
        var plan = self
        if workload == .classic {
            guard killEvery == nil, processes == 1 else {
                throw refuse("the classic test is one process that nobody kills", "use --workload mixed")
            }
            plan.items = 1
            plan.threads = ClassicRole.team.count
        }
        guard plan.threads > 0, plan.processes > 0, plan.actors <= 1_024 else {
            throw refuse("there must be 1 to 1,024 actors", "an actor is a thread; each process has as many")
        }
        guard plan.items > 0, plan.allItems <= 1_000_000 else {
            throw refuse("there must be 1 to 1,000,000 items", "8 are enough for actors to meet")
        }
        // A clear is written down for each of them.
        if [.mixed, .sessions].contains(workload), plan.items > 256 {
            throw refuse("\(workload.rawValue) takes up to 256 items", "use --workload write-heavy for more")
        }
        if workload == .sessions, killEvery != nil {
            throw refuse("the session of a process that is killed ends with it", "use --workload mixed")
        }
        if workload == .sessions, isHostile {
            throw refuse("nobody else gets at a session of a thread's own", "use --workload mixed")
        }
        if let sabotage, !sabotage.workloads.contains(workload) {
            throw refuse(
                "\(sabotage.rawValue) breaks nothing that \(workload.rawValue) does",
                "use --workload \(sabotage.workloads[0].rawValue)")
        }
        guard plan.smallestValue >= StampedValue.smallestSize, plan.smallestValue <= plan.largestValue,
            plan.largestValue <= 32_767
        else {
            throw refuse(
                "values have \(StampedValue.smallestSize) to 32,767 bytes", "the first ones tell who wrote the value")
        }
        switch plan.length {
        case .operations(let count):
            guard count > 0 else { throw refuse("no calls to make", "give each actor one at least") }
        case .seconds(let seconds):
            guard seconds > 0 else { throw refuse("no time to run", "give it a second") }
        }
        if let killEvery = plan.killEvery, killEvery < 1 {
            throw refuse("processes can't be killed more often than every millisecond", "use 100")
        }
        if plan.needsProcesses, !canLaunch {
            throw refuse("nothing to start processes with", "give the run a launcher")
        }
        if workload == .quota, geteuid() == 0 {
            throw refuse("root has no quota to speak of", "run it as an ordinary user")
        }
        return plan
    }
}
