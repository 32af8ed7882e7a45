/// A run of a plan: actors, history, checks, figures.
package struct StressRun {
    package let plan: StressPlan
    /// How processes for actors are started; needed where the plan needs processes.
    package let launcher: ActorLauncher?

    package init(plan: StressPlan, launcher: ActorLauncher? = nil) {
        self.plan = plan
        self.launcher = launcher
    }

    /// Runs it to the end, in this thread.
    ///
    /// - Parameters:
    ///   - isInterrupted: asked often; once it says true, the run ends soon, and gives the result so far.
    ///   - report: called some ten times a second, in this thread.
    /// - Throws: ``StressError``. A failed check is not an error.
    package func run(
        isInterrupted: @escaping @Sendable () -> Bool = { false },
        report: (StressProgress) -> Void = { _ in }
    ) throws(StressError) -> StressResult {
        throw StressError(.unavailable, "not built yet")
    }
}
