import Foundation

/// The effect of another user's work on our calls, on a machine with few keys and with many.
enum NeighboursPart {
    static func measure(_ report: Report) throws {
        let bench = try Workbench(size: Scale.itemBytes, count: Member.itemCount)
        let crowd = Crowd(firstUser: 200_000)
        for size in [1, 1_000] {
            try crowd.grow(to: size)
            for command in [Member.Command.idle, .get, .set, .list] {
                try crowd.occupyFirst(with: command)
                usleep(100_000)
                for call in [Workbench.Call.get, .set] {
                    let times = try sample { try bench.work(call) }
                    let (mean, suffix) = (times.reduce(0, +) / Double(times.count), ", neighbour: \(command)")
                    report.add("\(call) mean\(suffix)", size: size, mean)
                    report.add("\(call)", suffix, size: size, times)
                }
            }
            try crowd.occupyFirst(with: .idle)
        }
        try crowd.end()
    }

    /// The processor time that each call took, in nanoseconds.
    ///
    /// Waiting for a lock in the kernel counts, because the kernel spins. Waiting for a processor that others use does
    /// not count.
    private static func sample(_ work: () throws -> Void) throws -> [Double] {
        var times: [Double] = []
        let start = ContinuousClock.now
        while start.elapsed < .milliseconds(1_500) {
            let start = processorTime()
            try work()
            times.append(processorTime() - start)
        }
        return times
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
