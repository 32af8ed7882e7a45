import Histogram
import Keyutils

/// What is known of a run while it goes on.
struct LiveMetrics {
    private let plan: StressPlan
    private let sharedLog: SharedLog
    private var seen: [Int]
    private var lastTime = 0.0
    private var lastCount = 0
    private var errors = 0
    private(set) var quota: QuotaWatch
    private var shown: StressProgress

    /// Of more calls than these, only the last ones are looked at.
    private static let sample = 2_000

    init(plan: StressPlan, sharedLog: SharedLog, quota: QuotaWatch) {
        self.plan = plan
        self.sharedLog = sharedLog
        self.quota = quota
        seen = Array(repeating: 0, count: plan.workers)
        shown = StressProgress(
            phase: .running, seconds: 0, fraction: 0, operations: 0, rate: 0, p50: 0, p99: 0, errors: 0, kills: 0,
            quotaKeys: 0, quotaBytes: 0, keyLimit: 0, byteLimit: 0)
    }

    /// A round begins, with empty logs.
    mutating func beginRound(errorsSoFar: Int) {
        seen = Array(repeating: 0, count: plan.workers)
        errors = errorsSoFar
        lastCount = 0
    }

    /// Whether a tenth of a second has passed since the last look.
    func isDue(_ seconds: Double) -> Bool { seconds - lastTime >= 0.1 || seconds < lastTime }

    /// Looks at the logs.
    ///
    /// - Parameters:
    ///   - seconds: for how long workers have run in all.
    ///   - operations: how many calls there were in the rounds before.
    mutating func look(seconds: Double, operations before: Int, kills: Int) -> StressProgress {
        var histogram = Histogram<UInt32>(numberOfSignificantValueDigits: .two)
        var count = 0
        for slot in 0..<plan.workers {
            let log = sharedLog.log(slot)
            let end = log.count
            count += end
            for index in max(seen[slot], end - Self.sample)..<max(seen[slot], end) {
                guard let record = log.returned(index) else { continue }
                if record.kind != .lease { histogram.record(record.returned - record.invoked) }
                if record.outcome == .threw { errors += 1 }
            }
            seen[slot] = end
        }
        quota.look()
        let interval = seconds - lastTime
        if interval > 0 { shown.rate = Double(count - lastCount) / interval }
        lastTime = seconds
        lastCount = count
        shown.phase = .running
        shown.seconds = seconds
        shown.fraction = fraction(seconds: seconds)
        shown.operations = before + count
        if histogram.totalCount > 0 {
            shown.p50 = histogram.valueAtPercentile(50)
            shown.p99 = histogram.valueAtPercentile(99)
        }
        shown.errors = errors
        shown.kills = kills
        show(quota)
        return shown
    }

    /// The workers stand still while their history is checked.
    mutating func checking() -> StressProgress {
        shown.phase = .checking
        return shown
    }

    private mutating func show(_ quota: QuotaWatch) {
        shown.quotaKeys = quota.last.keys
        shown.quotaBytes = quota.last.bytes
        shown.keyLimit = quota.last.keyLimit
        shown.byteLimit = quota.last.byteLimit
    }

    private func fraction(seconds: Double) -> Double {
        switch plan.length {
        case .seconds(let whole) where plan.workload != .classic: min(1, seconds / whole)
        default: min(1, Double(steps) / Double(max(1, plan.steps)))
        }
    }

    private var steps: Int { (0..<plan.workers).reduce(0) { $0 + sharedLog.log($1).steps } }
}
