import StressSuite

/// Short runs with more and more threads, and more and more processes, to see what each of them adds.
struct ScalingMeasurement {
    private static let counts = [1, 2, 4, 8]
    private static let seconds = 1.0

    let makeRun: StressSession.Runner

    /// Adds what they measure to the result, and their failed checks too; an interrupted one counts as not made.
    func extend(_ result: inout StressResult, on display: ProgressDisplay) {
        let pools =
            Self.counts.map { (threads: $0, processes: 1) }
            + Self.counts.dropFirst().map { (threads: 1, processes: $0) }
        for (position, pool) in pools.enumerated() {
            let plan = Self.plan(of: pool, like: result.plan)
            let phase = StressProgress.Phase.scaling(position + 1, of: pools.count)
            do throws(StressError) {
                if plan.workload == .quota { try OrdinaryUser.begin() }
                defer { OrdinaryUser.end() }
                let measured = try makeRun(plan, { Interruption.signal != nil }) { progress in
                    var progress = progress
                    progress.phase = phase
                    display.show(progress)
                }
                result.checks += measured.failedChecks.map { Self.named($0, after: plan) }
                if measured.isInterrupted { return }
                result.scaling.append(
                    ScalingPoint(threads: pool.threads, processes: pool.processes, rate: measured.meanRate))
            } catch {
                let outcome = CheckOutcome(
                    name: "the run can be made", verdict: .failed, detail: error.description)
                result.checks.append(Self.named(outcome, after: plan))
                return
            }
        }
    }

    private static func plan(of pool: (threads: Int, processes: Int), like plan: StressPlan) -> StressPlan {
        var plan = plan
        plan.threads = pool.threads
        plan.processes = pool.processes
        plan.length = .seconds(seconds)
        plan.killEvery = nil
        plan.fault = nil
        plan.isHostile = false
        return plan
    }

    private static func named(_ check: CheckOutcome, after plan: StressPlan) -> CheckOutcome {
        var check = check
        check.name += " (with \(plan.workersText))"
        return check
    }
}
