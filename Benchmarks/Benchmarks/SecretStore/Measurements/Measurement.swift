import Benchmark

/// Something to measure, beside what it is compared with: the benchmark tool runs it, and the table reads the result.
struct Measurement: Sendable {
    /// Makes both sides, on the same keys.
    typealias Preparation = @Sendable () throws -> Contest

    let name: String
    /// How often a side is called in its turn.
    let calls: Int
    let iterations: Int
    let prepare: Preparation

    init(_ name: String, calls: Int = 50, iterations: Int = 500, _ prepare: @escaping Preparation) {
        self.name = name
        self.calls = calls
        self.iterations = iterations
        self.prepare = prepare
    }
}

/// Two sides that take turns.
struct Contest {
    /// Does something that many times, and tells how long that took.
    typealias Side = (_ calls: Int) throws -> Duration

    /// How often each has its turn in an iteration.
    static let turns = 10

    let floor: Side
    let work: Side
    /// Waits until nothing is left to be done of what earlier turns did.
    var settle: () throws -> Void = {}

    /// One iteration: what both suffer from, on a machine that others use too, cancels out in the ratio.
    func run(calls: Int) throws -> (floor: Duration, work: Duration) {
        var total = (floor: Duration.zero, work: Duration.zero)
        for turn in 0..<Self.turns {
            // Each is as often the first as it is the second.
            if turn.isMultiple(of: 2) {
                total.floor += try floor(calls)
                total.work += try work(calls)
            } else {
                total.work += try work(calls)
                total.floor += try floor(calls)
            }
        }
        return total
    }

    /// Times all calls together.
    static func repeating(_ body: @escaping () throws -> Void) -> Side {
        { calls in
            try ContinuousClock().measure {
                for _ in 0..<calls { try body() }
            }
        }
    }

    /// Times each call by itself, after a preparation that is not timed.
    static func each(after prepare: @escaping () throws -> Void, _ body: @escaping () throws -> Void) -> Side {
        { calls in
            var total = Duration.zero
            for _ in 0..<calls {
                try prepare()
                total += try ContinuousClock().measure(body)
            }
            return total
        }
    }
}

/// What was measured was not done.
struct Missing: Error {}
