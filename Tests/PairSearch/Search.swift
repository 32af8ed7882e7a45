import CTestPause
import Glibc
import StressSuite
import Threads

/// All chosen series, on several lanes at the same time, because they spend most of the time waiting.
struct Search {
    let series: [any Series]
    let lanes: Int
    private let counts: Counts

    init(series: [any Series], lanes: Int) {
        self.series = series
        // Each lane has its own users. Without root there is only one user, who can play only one scene at a time.
        self.lanes = geteuid() == 0 ? lanes : 1
        counts = Counts(series: series.count)
    }

    /// Plays all series, prints the number of interleavings, and returns true if nothing was found.
    func run() -> Bool {
        let began = MonotonicTime.now
        var processes: [pid_t] = []
        for number in 0..<lanes {
            let process = test_pause_fork()
            if process == 0 {
                var lane = Lane(number: number, series: series, counts: counts)
                lane.run()
                _exit(0)
            }
            processes.append(process)
        }
        var areWhole = true
        for process in processes {
            var status: CInt = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            areWhole = areWhole && status == 0
        }
        Output.write(summary(seconds: Double(MonotonicTime.now - began) / 1e9))
        if !areWhole { Output.write("FOUND a lane that did not end normally\n") }
        return areWhole && counts.findings == 0
    }

    private func summary(seconds: Double) -> String {
        var pairs: [String: Int] = [:]
        for (index, series) in series.enumerated() { pairs[series.pair, default: 0] += counts.interleavings(of: index) }
        let total = pairs.values.reduce(0, +)
        let lines = pairs.sorted { $0.key < $1.key }.map { "\($0.value) interleavings: \($0.key)" }
        return
            (lines + [
                "\(total) interleavings of \(pairs.count) pairs in \(series.count) series, \(counts.findings) findings, "
                    + "\(Int(seconds)) s"
            ]).joined(separator: "\n") + "\n"
    }
}

extension Search {
    /// Chooses series of each kind of stop; the same seed chooses the same ones.
    static func sample(_ count: Int, of all: [any Series], seed: UInt64) -> [any Series] {
        var choices = Choices(seed: seed)
        return Stop.allCases.flatMap { stop in
            all.filter { $0.stop == stop }.shuffled(using: &choices).prefix(stop.share(of: count))
        }
    }
}

extension Stop {
    /// Returns how many series of this kind to try: fewer of the kinds that take long.
    fileprivate func share(of count: Int) -> Int {
        switch self {
        case .plain: 4 * count
        case .kill: count
        case .outlasting, .expiry, .double: max(1, count / 4)
        case .doubleExpiry: max(1, count / 10)
        }
    }
}
