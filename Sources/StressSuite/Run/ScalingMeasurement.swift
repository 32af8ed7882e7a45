/// Short runs with a growing number of threads or processes, which show how much each of them adds.
package enum ScalingMeasurement {
    /// Makes a run.
    ///
    /// Tests pass a function that needs no keyring.
    package typealias Runner =
        (StressPlan, @escaping @Sendable () -> Bool, (StressProgress) -> Void) throws(StressError) -> StressResult

    private static let counts = [1, 2, 4, 8]

    /// Adds the measured points to the result, and the failed checks of the short runs.
    ///
    /// An interrupted run adds no point and ends the measurement.
    package static func extend(
        _ result: inout StressResult, makeRun: Runner, isInterrupted: @escaping @Sendable () -> Bool
    ) {
        let pools =
            counts.map { (threads: $0, processes: 1) }
            + counts.dropFirst().map { (threads: 1, processes: $0) }
        for pool in pools {
            var plan = result.plan
            (plan.threads, plan.processes, plan.length) = (pool.threads, pool.processes, .seconds(1))
            (plan.killEvery, plan.fault, plan.isHostile) = (nil, nil, false)
            do throws(StressError) {
                let measured = try makeRun(plan, isInterrupted) { _ in }
                result.checks += measured.failedChecks.map { named($0, after: plan) }
                if measured.isInterrupted { return }
                result.scaling.append(
                    ScalingPoint(threads: pool.threads, processes: pool.processes, rate: measured.meanRate))
            } catch {
                let outcome = CheckOutcome(name: "the run is possible", verdict: .failed, detail: error.description)
                result.checks.append(named(outcome, after: plan))
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
