/// Short runs with more and more threads, and more and more processes, to see what each of them adds.
package struct ScalingMeasurement {
    /// Makes a run; tests have one that needs no keyring.
    package typealias Runner =
        (StressPlan, @escaping @Sendable () -> Bool, (StressProgress) -> Void) throws(StressError) -> StressResult

    private static let counts = [1, 2, 4, 8]

    let makeRun: Runner

    package init(makeRun: @escaping Runner) {
        self.makeRun = makeRun
    }

    /// Adds what they measure to the result, and their failed checks too; an interrupted one counts as not made.
    package func extend(
        _ result: inout StressResult, isInterrupted: @escaping @Sendable () -> Bool, report: (StressProgress) -> Void
    ) {
        let pools =
            Self.counts.map { (threads: $0, processes: 1) }
            + Self.counts.dropFirst().map { (threads: 1, processes: $0) }
        for (position, pool) in pools.enumerated() {
            var plan = result.plan
            (plan.threads, plan.processes, plan.length) = (pool.threads, pool.processes, .seconds(1))
            (plan.killEvery, plan.fault, plan.isHostile) = (nil, nil, false)
            do throws(StressError) {
                let measured = try makeRun(plan, isInterrupted) { progress in
                    var progress = progress
                    progress.phase = .scaling(position + 1, of: pools.count)
                    report(progress)
                }
                result.checks += measured.failedChecks.map { Self.named($0, after: plan) }
                if measured.isInterrupted { return }
                result.scaling.append(
                    ScalingPoint(threads: pool.threads, processes: pool.processes, rate: measured.meanRate))
            } catch {
                let outcome = CheckOutcome(name: "the run can be made", verdict: .failed, detail: error.description)
                result.checks.append(Self.named(outcome, after: plan))
                return
            }
        }
    }

    private static func named(_ check: CheckOutcome, after plan: StressPlan) -> CheckOutcome {
        var check = check
        check.name += " (with \(plan.workersText))"
        return check
    }
}
