/// Measures work beside its floor: some calls of the one, some of the other, in turns, in one process.
///
/// What both suffer from on a machine that others use cancels out in their ratio.
enum Turns {
    /// Of all rounds: one call's nanoseconds, and how long the work took in floors.
    struct Medians {
        let work: Double
        let floor: Double
        let ratio: Double
    }

    static func measure(
        rounds: Int,
        calls: Int,
        before prepare: () throws -> Void = {},
        floor: () throws -> Void,
        work: () throws -> Void
    ) throws -> Medians {
        var works: [Double] = []
        var floors: [Double] = []
        // The first round warms up.
        for round in 0...rounds {
            try prepare()
            let floorTime = try time(calls, floor)
            try prepare()
            let workTime = try time(calls, work)
            guard round > 0 else { continue }
            works.append(workTime)
            floors.append(floorTime)
        }
        return Medians(works: works, floors: floors)
    }

    private static func time(_ calls: Int, _ body: () throws -> Void) throws -> Double {
        let start = Clock.now()
        for _ in 0..<calls { try body() }
        return Double(Clock.now() - start) / Double(calls)
    }
}

extension Turns.Medians {
    /// Rounds of work and floor, one beside the other.
    init(works: [Double], floors: [Double]) {
        work = works.quantile(0.5)
        floor = floors.quantile(0.5)
        ratio = zip(works, floors).map { $0 / $1 }.quantile(0.5)
    }
}

extension [Double] {
    func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return .nan }
        return sorted()[Int((Double(count - 1) * share).rounded())]
    }
}
