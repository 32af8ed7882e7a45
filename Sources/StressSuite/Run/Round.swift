import Glibc
import Threads

/// A part of a run, some seconds long: workers start, run and end, and leave their logs.
///
/// A run of any length is a sequence of rounds, so that its history fits into memory and a failure shows soon.
struct Round {
    let plan: StressPlan
    let sharedLog: SharedLog
    let pool: any WorkerPool
    /// How long the workers run, in seconds, unless they end earlier.
    let seconds: Double

    /// How long workers may take to get ready, or to end when they are told to, in nanoseconds.
    ///
    /// This is longer than any worker waits for others.
    private static let waitLimit: UInt64 = 30_000_000_000

    /// Runs the round.
    ///
    /// - Parameter tick: called often, with the seconds since the workers began and the number of kills so far.
    func run(
        faults: inout Choices, isInterrupted: () -> Bool, tick: (Double, Int) -> Void
    ) throws(StressError) -> RoundOutcome {
        try pool.start()
        try awaitReadiness()
        var outcome = RoundOutcome(began: MonotonicTime.now)
        sharedLog.phase = .running
        var nextKill = plan.killEvery.map { outcome.began + Self.pause($0, &faults) }
        while try pool.isRunning() {
            let now = MonotonicTime.now
            let elapsed = Double(now - outcome.began) / 1e9
            tick(elapsed, outcome.kills.count)
            outcome.isInterrupted = isInterrupted()
            if outcome.isInterrupted || elapsed >= seconds || isAnyLogFull { break }
            if let due = nextKill, let interval = plan.killEvery, now >= due {
                if try pool.killOne(&faults) { outcome.kills.append(MonotonicTime.now) }
                nextKill = MonotonicTime.now + Self.pause(interval, &faults)
            }
            usleep(nextKill == nil ? 10_000 : 1_000)
        }
        sharedLog.phase = .stopping
        outcome.ended = max(MonotonicTime.now, outcome.began + 1)
        let late = try awaitEnd()
        outcome.failures = pool.failures
        if late > 0 { outcome.failures.append("\(late) did not end in time") }
        return outcome
    }

    private func awaitReadiness() throws(StressError) {
        let deadline = MonotonicTime.now + Self.waitLimit
        while sharedLog.ready < plan.workers {
            guard try pool.isRunning(), MonotonicTime.now < deadline else {
                sharedLog.phase = .stopping
                let reason = pool.failures.first ?? "they were not ready in time"
                throw StressError(
                    .workerFailed, "the workers could not start: \(reason)", hint: "'skr doctor' may show why")
            }
            usleep(500)
        }
    }

    private func awaitEnd() throws(StressError) -> Int {
        let deadline = MonotonicTime.now + Self.waitLimit
        while try pool.isRunning() {
            guard MonotonicTime.now < deadline else { return pool.dismiss() }
            usleep(500)
        }
        return 0
    }

    private var isAnyLogFull: Bool {
        (0..<plan.workers).contains { !sharedLog.log($0).hasRoom }
    }

    /// A random pause in nanoseconds, which lasts this many milliseconds on average.
    private static func pause(_ milliseconds: Int, _ choices: inout Choices) -> UInt64 {
        UInt64(milliseconds) * UInt64(500_000 + choices.below(1_000_000))
    }
}
