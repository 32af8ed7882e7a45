import Foundation

@testable import StressSuite
import Threads

/// Invented results, for tests of their presentation.
enum SampleResult {
    /// How many calls have the same time: to invent one for each of 88,300 calls takes a second in a debug build.
    private static let callsOfTime = 20

    private static func latency(median: Double, count: Int, seed: UInt64) -> LatencySummary {
        var random = Choices(seed: seed)
        let values = (0..<count / callsOfTime).map { _ in
            let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
            let isStalled = Double.random(in: 0..<1, using: &random) < 0.002
            return UInt64(median * exp(normal * 0.35) * (isStalled ? Double.random(in: 10...900, using: &random) : 1))
        }.sorted()
        return summary(of: values, callsOfTime)
    }

    /// Summarizes calls, of which some had each of these times.
    private static func summary(of values: [UInt64], _ calls: Int = 1) -> LatencySummary {
        let at = { (share: Double) in values[min(values.count - 1, Int(Double(values.count) * share))] }
        var bars: [LatencySummary.Bar] = []
        var from = max(1, values[0])
        var rest = values[...]
        while !rest.isEmpty {
            let to = max(from + 1, from + from / 5)
            let part = rest.prefix { $0 < to }
            bars.append(LatencySummary.Bar(from: from, to: to, count: part.count * calls))
            rest = rest.dropFirst(part.count)
            from = to
        }
        return LatencySummary(
            count: values.count * calls, mean: Double(values.reduce(0, +)) / Double(values.count), least: values[0],
            p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), most: values[values.count - 1], bars: bars)
    }

    static func throughput(points: Int, seconds: Double, rate: Double, isHurt: Bool) -> [ThroughputPoint] {
        var random = Choices(seed: 7)
        return (0..<points).map { number in
            let isHit = isHurt && Int.random(in: 0..<9, using: &random) == 0
            return ThroughputPoint(
                second: seconds * Double(number) / Double(points),
                rate: rate * Double.random(in: 0.85...1.1, using: &random) * (isHit ? 0.7 : 1),
                errorRate: isHit ? Double.random(in: 10...400, using: &random) : 0, kills: isHit ? 1 : 0)
        }
    }

    static let checks = [
        CheckOutcome(name: "no value is torn", verdict: .passed, detail: "1,042,118 values were read"),
        CheckOutcome(name: "no read finds an unwritten value", verdict: .passed, detail: "1,042,118 values were read"),
        CheckOutcome(name: "no reader goes back in time", verdict: .passed, detail: "16 readers, 8 items"),
        CheckOutcome(
            name: "each item's history is linearizable", verdict: .passed,
            detail: "8 items, 1,313,007 calls, 211 of them by killed workers"),
        CheckOutcome(name: "no update is lost", verdict: .skipped, detail: "the workload makes no updates"),
        CheckOutcome(name: "nothing is left in the keyring", verdict: .passed, detail: "no quota is in use"),
    ]

    static func plan(workload: Workload = .mixed) -> StressPlan {
        StressPlan(workload: workload, threads: 4, processes: 4, length: .seconds(60), seed: 81_276_354, killEvery: 200)
    }

    private static let operations: [OperationFigures] = {
        let kinds: [(CallKind, Double, Int)] = [
            (.get, 2_100, 60_000), (.set, 7_900, 20_000), (.delete, 2_600, 6_000), (.clear, 1_900, 300),
            (.list, 41_000, 2_000),
        ]
        return kinds.enumerated().map { number, kind in
            OperationFigures(
                kind: kind.0, errors: [:], latency: Self.latency(median: kind.1, count: kind.2, seed: UInt64(number)))
        }
    }()

    static func clean(points: Int = 120, seconds: Double = 60) -> StressResult {
        let throughput = throughput(points: points, seconds: seconds, rate: 148_000, isHurt: true)
        return StressResult(
            plan: plan(),
            machine: Machine(system: "Linux 6.18.5", architecture: "x86_64", processors: 2, userID: 1_000),
            startedAt: 1_795_262_400, seconds: seconds, isInterrupted: false,
            operations: operations, throughput: throughput, checks: checks,
            kills: throughput.reduce(0) { $0 + $1.kills },
            quota: QuotaFigures(
                keysBefore: 4, bytesBefore: 312, mostKeys: 61, mostBytes: 9_904, keysAfter: 4, bytesAfter: 312,
                keyLimit: 200, byteLimit: 20_000),
            scaling: zip(
                [(1, 1), (2, 1), (4, 1), (8, 1), (1, 2), (1, 4), (1, 8)] as [(Int, Int)],
                [181_000, 233_000, 221_000, 214_000, 240_000, 236_500, 229_000] as [Double]
            ).map { ScalingPoint(threads: $0.0, processes: $0.1, rate: $1) })
    }

    /// A result with failed checks, evidence, errors with long names, and characters that could break markup.
    static func failed(evidenceLines: Int = 200) -> StressResult {
        var result = clean(points: 600)
        result.plan.fault = .staleRead
        result.isInterrupted = true
        result.checks[3] = CheckOutcome(
            name: "each item's history is linearizable", verdict: .failed,
            detail: "item <a&b>: no order of the calls explains their results",
            evidence: (1...max(1, evidenceLines)).map { number in
                "worker \(number % 16)  \(number * 1_311) ns .. \(number * 1_311 + 2_104) ns  get -> \(number % 16).\(number)"
                    + (number % 50 == 0 ? "  which nobody can have seen by then <\"&'> \u{1}\u{7F}" : "")
            })
        result.checks[2] = CheckOutcome(
            name: "no reader goes back in time", verdict: .failed, detail: "reader 3 saw 5.19 and then 5.17",
            evidence: ["reader 3  get -> 5.19", "reader 3  get -> 5.17"])
        let long =
            "password:a-service-with-a-name-that-is-as-long-as-names-can-be-and-has-no-blank-in-it-anywhere:"
            + "an-account</script><b>: the user's key quota is full"
        result.operations[1].errors = [long: 12_345, "the item's keyring has been revoked [Key has been revoked]": 2]
        return result
    }

    /// The result of a run that was ended before it did anything.
    static func empty() -> StressResult {
        StressResult(
            plan: StressPlan(workload: .classic, seed: 1),
            machine: Machine(system: "Linux 6.1.0", architecture: "aarch64", processors: 1, userID: 0), startedAt: 0,
            seconds: 0, isInterrupted: true, operations: [], throughput: [], checks: [], kills: 0,
            quota: QuotaFigures(
                keysBefore: 0, bytesBefore: 0, mostKeys: 0, mostBytes: 0, keysAfter: 0, bytesAfter: 0, keyLimit: 0,
                byteLimit: 0))
    }

    /// A result with one call, one slice and one check.
    static func single() -> StressResult {
        var result = empty()
        result.operations = [OperationFigures(kind: .get, errors: [:], latency: summary(of: [1_234]))]
        result.throughput = [ThroughputPoint(second: 0, rate: 1, errorRate: 0, kills: 0)]
        result.checks = [checks[0]]
        result.seconds = 1
        result.scaling = [ScalingPoint(threads: 1, processes: 1, rate: 1)]
        return result
    }

    /// A result with numbers that are not finite.
    static func broken() -> StressResult {
        var result = single()
        result.seconds = .nan
        result.startedAt = .infinity
        result.operations[0].latency.mean = .nan
        result.throughput = [.nan, .infinity, 5].map {
            ThroughputPoint(second: 0, rate: $0, errorRate: $0, kills: 0)
        }
        result.scaling = [ScalingPoint(threads: 1, processes: 1, rate: .infinity)]
        return result
    }
}
