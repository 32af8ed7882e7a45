import Benchmark

/// What is measured in one thread, against what, and what must be reached: the benchmark tool runs it, in a process of its
/// own, and the table reads the result.
struct Measurement: Sendable {
    static let ratio = BenchmarkMetric.custom("store / baseline, thousandths", useScalingFactor: false)
    static let workTime = BenchmarkMetric.custom("store, ns a call", useScalingFactor: false)
    /// How often each side has its turn in an iteration.
    static let turns = 10

    let name: String
    let limit: Double?
    var reference = "x C"
    /// How often a side is called in its turn.
    var calls = 50
    var iterations = 500
    /// Makes both sides, on the same keys.
    let prepare: @Sendable () throws -> Contest

    static func registerAll() {
        for measurement in all { measurement.register() }
    }

    /// Hands it to the benchmark tool.
    ///
    /// The number of iterations ends a run, not the clock: a slow machine is to do the same work as a fast one.
    private func register() {
        let configuration = Benchmark.Configuration(
            // Results are written to a file only with the throughput among them.
            metrics: [.throughput, Self.ratio, Self.workTime],
            warmupIterations: OrdoOne.isShort ? 1 : 10,
            maxDuration: .seconds(60),
            maxIterations: OrdoOne.isShort ? 3 : iterations
        )
        // Made by the first iteration: a setup hook may run on another thread, with other keyrings.
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
