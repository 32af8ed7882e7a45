import Histogram
import Keyutils

/// The metrics of all rounds of a run.
struct Metrics {
    private struct Slice {
        var calls = 0
        var errors = 0
        var kills = 0
    }

    private static let sliceLength = 0.1
    private static let mostPoints = 300

    private var histograms: [CallKind: Histogram<UInt32>] = [:]
    private var errors: [CallKind: [String: Int]] = [:]
    private var slices: [Slice] = []
    private(set) var seconds = 0.0
    private(set) var calls = 0
    private(set) var kills = 0
    private(set) var callsCutOff = 0

    var errorCount: Int { errors.values.reduce(0) { $0 + $1.values.reduce(0, +) } }

    /// Adds a round.
    ///
    /// Calls that were cut off by a kill have no duration and are counted separately.
    mutating func add(_ history: RoundHistory, _ outcome: RoundOutcome) {
        for call in history.calls where call.worker != 0 {
            calls += 1
            guard !call.isCutOff else {
                callsCutOff += 1
                continue
            }
            histograms[call.kind, default: Histogram(numberOfSignificantValueDigits: .two)]
                .record(call.returned - call.invoked)
            let threw = call.outcome == .threw
            if threw { errors[call.kind, default: [:]][call.error?.rawValue ?? "other", default: 0] += 1 }
            change(at: call.returned, in: outcome) { slice in
                slice.calls += 1
                slice.errors += threw ? 1 : 0
            }
        }
        for kill in outcome.kills { change(at: kill, in: outcome) { $0.kills += 1 } }
        kills += outcome.kills.count
        seconds += Double(outcome.ended - outcome.began) / 1e9
    }

    /// Changes the slice that contains a time.
    ///
    /// Calls that return after the workers were told to end count for the last slice.
    private mutating func change(at time: UInt64, in outcome: RoundOutcome, _ change: (inout Slice) -> Void) {
        let time = min(max(time, outcome.began), outcome.ended - 1)
        let index = Int((seconds + Double(time - outcome.began) / 1e9) / Self.sliceLength)
        while slices.count <= index { slices.append(Slice()) }
        change(&slices[index])
    }

    var operations: [OperationFigures] {
        CallKind.allCases.compactMap { kind in
            histograms[kind].map { histogram in
                OperationFigures(kind: kind, errors: errors[kind] ?? [:], latency: LatencySummary(histogram))
            }
        }
    }

    /// The throughput over time, in at most 300 points, however long the run was.
    var throughput: [ThroughputPoint] {
        let together = max(1, (slices.count + Self.mostPoints - 1) / Self.mostPoints)
        return stride(from: 0, to: slices.count, by: together).map { first in
            let part = slices[first..<min(first + together, slices.count)]
            let begin = Double(first) * Self.sliceLength
            let length = min(Double(part.count) * Self.sliceLength, max(seconds - begin, 0.001))
            return ThroughputPoint(
                second: begin, rate: Double(part.reduce(0) { $0 + $1.calls }) / length,
                errorRate: Double(part.reduce(0) { $0 + $1.errors }) / length, kills: part.reduce(0) { $0 + $1.kills })
        }
    }
}
