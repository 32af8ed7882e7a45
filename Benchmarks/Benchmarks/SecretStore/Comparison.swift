import Benchmark

/// Measures work alone, or beside its C floor.
///
/// The benchmark tool gives every benchmark a process of its own, so the times of two benchmarks don't compare well on a
/// machine that others use too. Beside its floor, work takes turns with it, a thousand calls each, in one process and on
/// the same keys; what both suffer from then cancels out.
enum Comparison {
    typealias Work = (Workbench) throws -> Void

    /// The median of this is the result: how long the work took in per cent of its floor.
    static let percentOfFloor = BenchmarkMetric.custom("% of C floor", useScalingFactor: false)

    static func alone(_ name: String, size: Int, settling: Bool = false, _ work: @escaping Work) {
        let bench = Lazy(size: size)
        Benchmark(name) { benchmark in
            let bench = try bench.get()
            if settling { try bench.settle() }
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { try work(bench) }
            benchmark.stopMeasurement()
        } teardown: {
            bench.drop()
        }
    }

    static func beside(
        _ floor: @escaping Work,
        _ name: String,
        size: Int,
        settling: Bool = false,
        _ work: @escaping Work
    ) {
        var configuration = Benchmark.defaultConfiguration
        configuration.metrics.append(percentOfFloor)
        let bench = Lazy(size: size)
        Benchmark(name, configuration: configuration) { benchmark in
            let bench = try bench.get()
            let clock = ContinuousClock()
            if settling { try bench.settle() }
            let floorTime = try clock.measure {
                for _ in benchmark.scaledIterations { try floor(bench) }
            }
            if settling { try bench.settle() }
            benchmark.startMeasurement()
            let time = try clock.measure {
                for _ in benchmark.scaledIterations { try work(bench) }
            }
            benchmark.stopMeasurement()
            benchmark.measurement(percentOfFloor, Int((time / floorTime * 100).rounded()))
        } teardown: {
            bench.drop()
        }
    }
}

/// A workbench that is made by the first iteration: a setup hook may run on another thread, whose session keyring may be
/// another one.
private final class Lazy {
    private let size: Int
    private var bench: Workbench?

    init(size: Int) {
        self.size = size
    }

    func get() throws -> Workbench {
        if let bench { return bench }
        let made = try Workbench(size: size)
        bench = made
        return made
    }

    func drop() {
        bench = nil
    }
}
