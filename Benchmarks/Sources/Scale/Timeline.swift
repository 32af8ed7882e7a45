import Keyutils

/// How long calls took, by the tenth of a second in which they began, counted from one moment.
struct Timeline {
    private let start: Double
    private let part: String
    private var times: [String: [Int: [Double]]] = [:]

    init(start: Double, part: String) {
        self.start = start
        self.part = part
    }

    /// Gets all the time, a set every 5 ms, a list every 25 ms.
    mutating func sample(_ bench: Bench, until end: Double) throws {
        var (nextSet, nextList) = (0.0, 0.0)
        while case let now = Clock.date(), now < end {
            try note("get", at: now, bench.get)
            try note("floor get", at: now, bench.floorGet)
            if now >= nextSet {
                try note("set", at: now, bench.set)
                nextSet = now + 0.005
            }
            if now >= nextList {
                try note("identities", at: now, bench.identities)
                nextList = now + 0.025
            }
        }
    }

    /// The size is the milliseconds from that moment.
    func add(to report: Report) {
        for (call, tenths) in times.sorted(by: { $0.key < $1.key }) {
            for (tenth, values) in tenths.sorted(by: { $0.key < $1.key }) {
                for (name, share) in [("p50", 0.5), ("p99", 0.99), ("max", 1)] {
                    report.add("\(part) \(call) \(name)", size: tenth * 100, values.quantile(share), "ns")
                }
            }
        }
    }

    private mutating func note(_ call: String, at date: Double, _ work: () throws -> Void) throws {
        let begin = Clock.now()
        try work()
        let tenth = Int(((date - start) * 10).rounded(.down))
        times[call, default: [:]][tenth, default: []].append(Double(Clock.now() - begin))
    }
}
