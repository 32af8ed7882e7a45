import Histogram

/// The metrics of a run that is still in progress.
struct LiveMetrics {
    private let plan: StressPlan
    private let sharedLog: SharedLog
    /// How many calls of each log have been examined.
    private var seen: [Int]
    private var lastTime = 0.0
    private var lastCount = 0
    var quota: QuotaWatch
    private var progress = StressProgress()

    /// The most calls of a worker that one look examines: the latest ones.
    private static let sample = 2_000

    init(plan: StressPlan, sharedLog: SharedLog, quota: QuotaWatch) {
        self.plan = plan
        self.sharedLog = sharedLog
        self.quota = quota
        seen = Array(repeating: 0, count: plan.workers)
    }

    /// Begins a round, in which the logs are empty.
    mutating func beginRound(errorsSoFar: Int) {
        seen = Array(repeating: 0, count: plan.workers)
        progress.errors = errorsSoFar
        lastCount = 0
    }

    /// Whether a tenth of a second has passed since the last look.
    func isDue(_ seconds: Double) -> Bool { seconds - lastTime >= 0.1 || seconds < lastTime }

    /// Reads the logs and returns the progress.
    ///
    /// - Parameters:
    ///   - seconds: how long the workers have run in all rounds so far.
    ///   - before: how many calls the earlier rounds had.
    ///   - kills: how many processes have been killed so far.
    mutating func look(seconds: Double, operations before: Int, kills: Int) -> StressProgress {
        var latency = Histogram<UInt32>(numberOfSignificantValueDigits: .two)
        var count = 0
        for slot in 0..<plan.workers { count += look(at: slot, &latency) }
        quota.look()
        let interval = seconds - lastTime
        if interval > 0 { progress.rate = Double(count - lastCount) / interval }
        lastTime = seconds
        lastCount = count
        progress.phase = .running
        progress.seconds = seconds
        progress.fraction = fraction(seconds: seconds)
        progress.operations = before + count
        if latency.totalCount > 0 {
            progress.p50 = latency.valueAtPercentile(50)
            progress.p99 = latency.valueAtPercentile(99)
        }
        progress.kills = kills
        progress.quotaPercent = quota.last.percent
        return progress
    }

    /// Examines the new calls of one worker.
    ///
    /// - Returns: how many calls the worker has begun in this round.
    private mutating func look(at slot: Int, _ latency: inout Histogram<UInt32>) -> Int {
        let log = sharedLog.log(slot)
        let end = log.count
        for index in max(seen[slot], end - Self.sample)..<max(seen[slot], end) {
            guard let call = log.returned(index) else { continue }
            if call.kind != .lease { latency.record(call.returned - call.invoked) }
            if call.outcome == .threw { progress.errors += 1 }
        }
        seen[slot] = end
        return end
    }

    /// The progress while the history is checked.
    ///
    /// No worker runs during that time.
    mutating func checking() -> StressProgress {
        progress.phase = .checking
        return progress
    }

    private func fraction(seconds: Double) -> Double {
        switch plan.length {
        case .seconds(let whole) where plan.workload != .classic: min(1, seconds / whole)
        default:
            min(1, Double((0..<plan.workers).reduce(0) { $0 + sharedLog.log($1).steps }) / Double(max(1, plan.steps)))
        }
    }
}
