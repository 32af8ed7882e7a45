import Benchmark

/// A measurement in one thread: the two sides to compare, and the limit for their ratio.
///
/// The benchmark tool runs it in a separate process, and the table reads the result.
struct Measurement: Sendable {
    static let ratio = BenchmarkMetric.custom("store / baseline, thousandths", useScalingFactor: false)
    static let workTime = BenchmarkMetric.custom("store, ns a call", useScalingFactor: false)
    /// How many turns each side has in an iteration.
    static let turns = 10

    let name: String
    let limit: Double?
    var reference = "x C"
    /// How many calls a side makes in a turn.
    var calls = 50
    var iterations = 500
    /// Creates both sides, on the same keys.
    let prepare: @Sendable () throws -> Contest

    static func registerAll() {
        for measurement in all { measurement.register() }
    }

    /// Registers the measurement with the benchmark tool.
    ///
    /// The number of iterations ends a run, not the clock, so that a slow machine does the same work as a fast one.
    private func register() {
        let configuration = Benchmark.Configuration(
            // The tool writes a file of results only if the throughput is among them.
            metrics: [.throughput, Self.ratio, Self.workTime],
            warmupIterations: OrdoOne.isShort ? 1 : 10,
            maxDuration: .seconds(60),
            maxIterations: OrdoOne.isShort ? 3 : iterations
        )
        // Created by the first iteration, because a setup hook might run on another thread, with other keyrings.
        nonisolated(unsafe) var contest: Contest?
        Benchmark(name, configuration: configuration) { benchmark in
            let sides = try contest ?? prepare()
            contest = sides
            try sides.settle()
            benchmark.startMeasurement()
            let (baseline, work) = try sides.run(calls: calls, turns: Self.turns)
            benchmark.stopMeasurement()
            benchmark.measurement(Self.ratio, Int((work / baseline * 1_000).rounded()))
            benchmark.measurement(Self.workTime, Int(work.nanoseconds) / (Self.turns * calls))
        } teardown: {
            contest = nil
        }
    }
}
