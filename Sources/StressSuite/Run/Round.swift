import Glibc

/// Some seconds of a run: actors start, run and end, and leave their logs.
///
/// A run of any length is a row of these, so that its history fits into memory, and a failure shows soon.
struct Round {
    let plan: StressPlan
    let board: RunBoard
    let crew: any Crew
    /// For how long actors run, in seconds, if they do not end before.
    let seconds: Double

    /// How long actors may take to end when they are told to: longer than any of them waits for others.
    private static let patience: UInt64 = 30_000_000_000

    /// What became of it.
    struct Outcome {
        /// When actors began and ended to run.
        let began: UInt64
        let ended: UInt64
        /// When processes were killed.
        var kills: [UInt64] = []
        /// What went wrong with the actors themselves.
        var failures: [String] = []
        var isInterrupted = false
    }

    /// Runs it.
    ///
    /// - Parameter tick: called often, with the time since the actors began in seconds.
    func run(
        faults: inout Choices,
        isInterrupted: () -> Bool,
        tick: (Double, Int) -> Void
    ) throws(StressError) -> Outcome {
        try crew.start()
        try awaitReadiness()
        let began = MonotonicTime.now
        board.phase = .running
        var kills: [UInt64] = []
        var nextKill = plan.killEvery.map { began + Self.pause($0, &faults) }
        var wasInterrupted = false
        while try crew.isRunning() {
            let now = MonotonicTime.now
            let elapsed = Double(now - began) / 1e9
            tick(elapsed, kills.count)
            wasInterrupted = isInterrupted()
            if wasInterrupted || elapsed >= seconds || isAnyLogFull { break }
            if let due = nextKill, let interval = plan.killEvery, now >= due {
                if try crew.killOne(&faults) { kills.append(MonotonicTime.now) }
                nextKill = MonotonicTime.now + Self.pause(interval, &faults)
            }
            usleep(nextKill == nil ? 10_000 : 1_000)
        }
        board.phase = .stopping
        let stopped = MonotonicTime.now
        let late = try awaitEnd()
        var outcome = Outcome(began: began, ended: max(stopped, began + 1), kills: kills, failures: crew.failures)
        if late > 0 { outcome.failures.append("\(late) did not end when they were told to") }
        outcome.isInterrupted = wasInterrupted
        return outcome
    }

    private func awaitReadiness() throws(StressError) {
        let giveUp = MonotonicTime.now + Self.patience
        while board.ready < plan.actors {
            guard try crew.isRunning(), MonotonicTime.now < giveUp else {
                board.phase = .stopping
                let reason = crew.failures.first ?? "they did not get ready"
                throw StressError(
                    .actorFailed, "the actors could not start: \(reason)", remedy: "'skr doctor' may tell why")
            }
            usleep(500)
        }
    }

    private func awaitEnd() throws(StressError) -> Int {
        let giveUp = MonotonicTime.now + Self.patience
        while try crew.isRunning() {
            guard MonotonicTime.now < giveUp else { return crew.dismiss() }
            usleep(500)
        }
        return 0
    }

    private var isAnyLogFull: Bool {
        (0..<plan.actors).contains { !board.log($0).hasRoom }
    }

    /// In nanoseconds: so many milliseconds on average.
    private static func pause(_ milliseconds: Int, _ choices: inout Choices) -> UInt64 {
        UInt64(milliseconds) * UInt64(500_000 + choices.below(1_000_000))
    }
}
