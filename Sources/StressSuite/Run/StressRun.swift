import Glibc
import Keyutils
import SessionKeyring

/// A run of a plan, with its workers, history, checks and figures.
package struct StressRun {
    package let plan: StressPlan
    /// Starts the processes of the workers; required if the plan needs processes.
    package let launcher: WorkerLauncher?
    /// Whether the run compares the user's quota with its use before the run.
    ///
    /// Set it to false if other programs of the same user are at work.
    package let comparesQuota: Bool
    /// How long to wait at the end of the run until no more quota is in use than before.
    package let quotaLimit: Duration
    /// Opens the backends of the workers' stores; `nil` if they use the keyring itself.
    package let openBackends: BackendOpener?

    package init(
        plan: StressPlan, launcher: WorkerLauncher? = nil, comparesQuota: Bool = true,
        quotaLimit: Duration = .seconds(5), openBackends: BackendOpener? = nil
    ) {
        self.plan = plan
        self.launcher = launcher
        self.comparesQuota = comparesQuota
        self.quotaLimit = quotaLimit
        self.openBackends = openBackends
    }

    /// Runs the plan to its end, in this thread.
    ///
    /// - Parameters:
    ///   - isInterrupted: called often; after it returns true, the run ends soon and returns the result so far.
    ///   - report: called about ten times a second, in this thread.
    /// - Throws: ``StressError``. A failed check is not an error.
    package func run(
        isInterrupted: @escaping @Sendable () -> Bool = { false }, report: (StressProgress) -> Void = { _ in }
    ) throws(StressError) -> StressResult {
        let plan = try plan.checked(canLaunch: launcher != nil)
        if plan.workload == .quota, geteuid() == 0 {
            throw StressError(
                .invalidPlan, "the workload quota can't be run as root, whose quota is never full",
                hint: "run it as an ordinary user")
        }
        // This thread's thread keyring outlives the run, so it has to exist before the first sample of the quota.
        _ = try StressError.translating { try Keyring.resolve(.threadKeyring, create: true) }
        if openBackends != nil, plan.needsProcesses {
            throw StressError(
                .invalidPlan, "a backend of the caller can't be used by other processes", hint: "use threads")
        }
        var run = try OngoingRun(plan: plan, launcher: launcher, quota: QuotaWatch(), openBackends: openBackends)
        try run.run(isInterrupted: isInterrupted, report: report)
        return run.finish(comparingQuotaWithin: comparesQuota ? quotaLimit : nil)
    }
}
