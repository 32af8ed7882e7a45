import Benchmark

extension Measurement {
    /// The result: how long the work took, in thousandths of what the floor took.
    static let ratio = BenchmarkMetric.custom("work / floor, thousandths", useScalingFactor: false)
    static let floorTime = BenchmarkMetric.custom("floor, ns a call", useScalingFactor: false)
    static let workTime = BenchmarkMetric.custom("work, ns a call", useScalingFactor: false)

    static func registerAll() {
        for measurement in all { measurement.register() }
    }

    /// Hands it to the benchmark tool.
    ///
    /// The number of iterations ends a run, not the clock: a slow machine is to do the same work as a fast one.
    func register() {
        let configuration = Benchmark.Configuration(
            // Results are written to a file only with the throughput among them.
            metrics: [.throughput, Self.ratio, Self.floorTime, Self.workTime],
            warmupIterations: ShortRun.isOn ? 1 : 10,
            maxDuration: .seconds(60),
            maxIterations: ShortRun.isOn ? 3 : iterations
        )
        let contest = Lazy(prepare)
        let calls = calls
        Benchmark(name, configuration: configuration) { benchmark in
            let contest = try contest.get()
            try contest.settle()
            benchmark.startMeasurement()
            let (floor, work) = try contest.run(calls: calls)
            benchmark.stopMeasurement()
            benchmark.measurement(Self.ratio, Int((work / floor * 1_000).rounded()))
            benchmark.measurement(Self.floorTime, (floor / (Contest.turns * calls)).nanoseconds)
            benchmark.measurement(Self.workTime, (work / (Contest.turns * calls)).nanoseconds)
        } teardown: {
            contest.drop()
        }
    }
}

/// A contest that is made by the first iteration: a setup hook may run on another thread, with other keyrings.
private final class Lazy {
    private let make: Measurement.Preparation
    private var contest: Contest?

    init(_ make: @escaping Measurement.Preparation) {
        self.make = make
    }

    func get() throws -> Contest {
        if let contest { return contest }
        let made = try make()
        contest = made
        return made
    }

    func drop() {
        contest = nil
    }
}

extension Duration {
    fileprivate var nanoseconds: Int {
        Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
    }
}
