extension StressPlan {
    /// Checks the plan against all limits, and returns it with the parameters that its workload fixes.
    ///
    /// - Throws: ``StressError`` with `invalidPlan` for a plan that can't be carried out.
    package func checked(canLaunch: Bool) throws(StressError) -> StressPlan {
        var plan = self
        if workload == .classic {
            guard killEvery == nil, processes == 1 else {
                throw Self.refusal(
                    "the workload classic can't be used with --processes or --kill-every", "use --workload mixed")
            }
            plan.items = 1
            plan.threads = ClassicRole.workers.count
        }
        try plan.checkNumbers()
        try plan.checkWorkload()
        if plan.needsProcesses, !canLaunch {
            throw Self.refusal("the run has no launcher for its processes", "pass a WorkerLauncher to the run")
        }
        return plan
    }

    private func checkNumbers() throws(StressError) {
        try Self.check(threads, isIn: 1...1_024, "--threads")
        try Self.check(processes, isIn: 1...256, "--processes")
        try Self.check(workers, isIn: 1...1_024, "--threads times --processes")
        try Self.check(items, isIn: 1...100_000, "--items")
        try Self.check(allItems, isIn: 1...1_000_000, "the number of items of all threads together")
        if let killEvery { try Self.check(killEvery, isIn: 1...3_600_000, "--kill-every") }
        try Self.check(largestValue, isIn: StampedValue.smallestSize...32_767, "--value-size")
        switch length {
        case .operations(let count): try Self.check(count, isIn: 1...1_000_000_000, "--operations")
        case .seconds(let seconds) where seconds > 0 && seconds <= 604_800: break
        case .seconds: throw Self.refusal("--duration must be from 1s to 7d")
        }
    }

    private func checkWorkload() throws(StressError) {
        // A clear counts as a call on each item.
        if [.mixed, .sessions].contains(workload), items > 256 {
            throw Self.refusal(
                "the workload \(workload.rawValue) takes at most 256 items, not \(items)",
                "use --workload write-heavy for more items")
        }
        if workload == .sessions, killEvery != nil {
            throw Self.refusal(
                "the workload sessions can't be used with --kill-every: a session ends with its process",
                "use --workload mixed")
        }
        if workload == .sessions, isHostile {
            throw Self.refusal(
                "the workload sessions can't be used with --hostile: its threads share no keyring",
                "use --workload mixed")
        }
        if let fault, !fault.workloads.contains(workload) {
            throw Self.refusal(
                "the fault \(fault.rawValue) has no effect on the workload \(workload.rawValue)",
                "use --workload \(fault.workloads[0].rawValue)")
        }
    }

    private static func check(_ value: Int, isIn range: ClosedRange<Int>, _ name: String) throws(StressError) {
        guard !range.contains(value) else { return }
        throw refusal("\(name) must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
    }

    private static func refusal(_ text: String, _ hint: String? = nil) -> StressError {
        StressError(.invalidPlan, text, hint: hint)
    }
}
