/// The workers of a round, wherever they run.
protocol WorkerPool: AnyObject {
    /// Starts them; they stand ready and wait for the shared log to say that the round runs.
    func start() throws(StressError)
    /// Looks after them: whether any still runs.
    func isRunning() throws(StressError) -> Bool
    /// Kills one process of them, which another one replaces; false where there is none.
    func killOne(_ choices: inout Choices) throws(StressError) -> Bool
    /// Ends those that do not end by themselves; how many these were.
    func dismiss() -> Int
    /// What was wrong with those that have ended, a line each.
    var failures: [String] { get }
}
