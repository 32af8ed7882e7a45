import Glibc

extension Worker {
    /// Makes calls until the run ends, or until all required steps are made.
    func run(on sharedLog: SharedLog) {
        sharedLog.standReady()
        while sharedLog.phase == .waiting { usleep(100) }
        if plan.workload == .classic { return runClassic(sharedLog) }
        let limit = log.limit
        while sharedLog.phase == .running, log.hasRoom, limit == 0 || log.steps < limit {
            log.steps += 1
            step()
        }
        log.isFinished = limit != 0 && log.steps >= limit
    }

    private func step() {
        switch plan.workload {
        case .classic: preconditionFailure("the workers of the classic test have roles")
        case .readHeavy: stepOfGetsAndSets(gets: 95)
        case .writeHeavy: stepOfGetsAndSets(gets: 50)
        case .mixed, .sessions: stepOfAllKinds()
        case .update: stepOfUpdates()
        case .expiry: stepAmongDyingItems()
        case .lease: countUnderLease(anyItem())
        case .shortLease: stepWithShortLeases()
        case .quota: stepAtTheLimit()
        }
    }

    private func stepOfGetsAndSets(gets: Int) {
        if choices.below(100) < gets { get(anyItem()) } else { set(anyItem()) }
    }

    private func stepOfUpdates() {
        if choices.below(100) < 80 { update(anyItem()) } else { get(anyItem()) }
    }

    private func stepOfAllKinds() {
        switch choices.below(100) {
        case ..<55: get(anyItem())
        case ..<80: set(anyItem())
        case ..<84: add(anyItem())
        case ..<92: delete(anyItem())
        case ..<98: list()
        default: clear()
        }
    }

    /// Writes items that are gone, and rarely any other, with timeouts of one to three seconds.
    private func stepAmongDyingItems() {
        let timeout = UInt32(1 + choices.below(3))
        if let item = missing, choices.below(4) == 0 {
            missing = nil
            return set(item, timeout: timeout)
        }
        if choices.below(20_000) == 0 { return set(anyItem(), timeout: timeout) }
        let item = anyItem()
        if let reading = get(item), reading.flaw == nil { return }
        missing = item
    }

    /// Holds short leases, and lists the items in between to delay some releases until it is too late.
    private func stepWithShortLeases() {
        if choices.below(100) < 90 { holdShortly(anyItem()) } else { list() }
    }

    private func stepAtTheLimit() {
        switch choices.below(100) {
        case ..<50: get(anyItem())
        case ..<85: set(anyItem())
        case ..<97: delete(anyItem())
        default: list()
        }
    }

    private func runClassic(_ sharedLog: SharedLog) {
        let role = ClassicRole.workers[place.slot % ClassicRole.workers.count]
        for round in 0..<role.rounds where sharedLog.phase == .running {
            if let hop = role.roundsBetweenHops, round % hop == 0 { usleep(5_000) }
            log.steps += role.calls / role.rounds
            switch role {
            case .reader: get(0)
            case .deleter: delete(0)
            case .clearer: clear()
            case .writer: set(0)
            case .main:
                set(0)
                get(0)
            }
        }
        log.isFinished = log.steps >= role.calls
    }
}
