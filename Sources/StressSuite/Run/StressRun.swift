import Glibc
import Keyutils
import SessionKeyring

/// A run of a plan: workers, history, checks, figures.
package struct StressRun {
    package let plan: StressPlan
    /// How processes for workers are started; needed where the plan needs processes.
    package let launcher: WorkerLauncher?
    /// Whether the user's quota is compared with what it was before; not where others of that user are at work.
    package let comparesQuota: Bool

    package init(plan: StressPlan, launcher: WorkerLauncher? = nil, comparesQuota: Bool = true) {
        self.plan = plan
        self.launcher = launcher
        self.comparesQuota = comparesQuota
    }

    /// Runs it to the end, in this thread.
    ///
    /// - Parameters:
    ///   - isInterrupted: asked often; once it says true, the run ends soon, and gives the result so far.
    ///   - report: called some ten times a second, in this thread.
    /// - Throws: ``StressError``. A failed check is not an error.
    package func run(
        isInterrupted: @escaping @Sendable () -> Bool = { false }, report: (StressProgress) -> Void = { _ in }
    ) throws(StressError) -> StressResult {
        let plan = try plan.checked(canLaunch: launcher != nil)
        if plan.workload == .quota, geteuid() == 0 {
            throw StressError(.invalidPlan, "root has no quota to speak of", hint: "run it as an ordinary user")
        }
        // The thread's own keyring stays when the run is over, so it counts as there before.
        _ = try StressError.translating { try Keyring.resolve(.threadKeyring, create: true) }
        var run = try OngoingRun(plan: plan, launcher: launcher, quota: QuotaWatch())
        try run.run(isInterrupted: isInterrupted, report: report)
        return run.finish(comparingQuota: comparesQuota)
    }
}
