import Keyutils

/// Everything that a run found out.
package struct StressResult: Codable, Sendable {
    package var plan: StressPlan
    package var machine: Machine
    /// When the run started, in seconds since 1970.
    package var startedAt: Double
    /// How long the workers ran, in seconds, without the time for checking.
    package var seconds: Double
    /// Whether the run was ended early.
    ///
    /// Everything that was done by then was checked all the same.
    package var isInterrupted: Bool
    /// One entry for each kind of call that was made.
    package var operations: [OperationFigures]
    /// The throughput over time, in order of time.
    package var throughput: [ThroughputPoint]
    package var checks: [CheckOutcome]
    /// How many processes were killed.
    package var kills: Int
    /// How many calls a kill cut off; all other figures are about calls that returned.
    package var callsCutOff = 0
    package var quota: QuotaFigures
    /// The throughput with different numbers of workers; empty if it was not measured.
    package var scaling: [ScalingPoint] = []
}

/// The figures for the calls of one kind.
package struct OperationFigures: Codable, Sendable {
    package var kind: CallKind
    /// How many calls threw, by error.
    package var errors: [String: Int]
    /// The latencies of all calls, including those that threw.
    package var latency: LatencySummary

    package var errorCount: Int { errors.values.reduce(0, +) }

    /// The errors, with the most frequent ones first.
    package var sortedErrors: [(message: String, count: Int)] {
        errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }
}

/// The throughput in one slice of time.
package struct ThroughputPoint: Codable, Sendable {
    /// When the slice begins, in seconds of running time since the first call.
    package var second: Double
    /// Calls a second in the slice.
    package var rate: Double
    /// Calls a second in the slice that threw.
    package var errorRate: Double
    /// How many processes were killed in the slice.
    package var kills: Int
}

/// The throughput with this many workers.
package struct ScalingPoint: Codable, Sendable {
    package var threads: Int
    package var processes: Int
    /// Calls a second of all workers together.
    package var rate: Double
}

/// The user's keys and bytes in the kernel.
package struct QuotaFigures: Codable, Sendable {
    package var keysBefore: Int
    package var bytesBefore: Int
    package var mostKeys: Int
    package var mostBytes: Int
    package var keysAfter: Int
    package var bytesAfter: Int
    package var keyLimit: Int
    package var byteLimit: Int

    /// The highest share of the limit in use in percent, for keys or bytes, whichever is higher.
    var percent: Int {
        max(
            Figures.percent(Double(mostKeys), of: Double(keyLimit)),
            Figures.percent(Double(mostBytes), of: Double(byteLimit)))
    }
}

// MARK: - In a few words
extension StressResult {
    /// Whether no check failed.
    package var isClean: Bool { failedChecks.isEmpty }
    package var failedChecks: [CheckOutcome] { checks.filter { $0.verdict == .failed } }
    /// Calls that returned.
    package var totalOperations: Int { operations.reduce(0) { $0 + $1.latency.count } }
    /// Calls that threw.
    var totalErrors: Int { operations.reduce(0) { $0 + $1.errorCount } }
    /// Calls a second of all workers together, over the whole run.
    var meanRate: Double { rate(of: totalOperations) }

    package func rate(of count: Int) -> Double { seconds > 0 ? Double(count) / seconds : 0 }

    /// How many calls there were, and in how much time.
    package var callsText: String {
        let killed = callsCutOff == 0 ? "" : ", and \(Figures.count(callsCutOff)) more that a kill interrupted,"
        return "\(Figures.plural(totalOperations, "call"))\(killed) in \(Figures.duration(seconds))"
    }

    /// The outcome of all checks, as a sentence without a full stop.
    package var verdict: String {
        let passed = checks.count { $0.verdict == .passed }
        let skipped = checks.count { $0.verdict == .skipped }
        let others = skipped == 0 ? "" : ", \(skipped) skipped"
        let failed = failedChecks.count
        if failed > 0 { return "\(failed) of \(checks.count) checks failed\(others)" }
        if passed == 0 { return "Nothing was checked\(others)" }
        if skipped > 0 { return "\(passed) checks passed\(others)" }
        return passed == 1 ? "The check passed" : "All \(passed) checks passed"
    }
}
