import Glibc
import Keyutils

/// What the work of another user does to ours, on a machine with few keys and with many.
enum NeighboursPart {
    static func measure(_ report: Report) throws {
        let bench = try Bench(namespace: "scale", count: Member.itemCount)
        let crowd = Crowd(firstUser: 200_000)
        for size in [1, 1_000] {
            try crowd.grow(to: size)
            for command in [Member.Command.idle, .get, .set, .list] {
                try crowd.occupyFirst(with: command)
                usleep(100_000)
                measure("get", size: size, command, report, try sample(bench.get))
                measure("set", size: size, command, report, try sample(bench.set))
            }
            try crowd.occupyFirst(with: .idle)
        }
        try crowd.end()
    }

    /// How much processor time each call took.
    ///
    /// Waiting for a lock of the kernel counts, for it spins; waiting for a processor that others use does not.
    private static func sample(_ work: () throws -> Void) throws -> [Double] {
        var times: [Double] = []
        let end = Clock.now() + 1_500_000_000
        while Clock.now() < end {
            let start = Clock.processorTime()
            try work()
            times.append(Double(Clock.processorTime() - start))
        }
        return times
    }

    private static func measure(
        _ call: String, size: Int, _ neighbour: Member.Command, _ report: Report, _ times: [Double]
    ) {
        let mean = times.reduce(0, +) / Double(times.count)
        report.add("\(call) mean, neighbour: \(neighbour)", size: size, mean, "ns")
        for (name, share) in [("p50", 0.5), ("p99", 0.99), ("max", 1)] {
            report.add("\(call) \(name), neighbour: \(neighbour)", size: size, times.quantile(share), "ns")
        }
    }
}
