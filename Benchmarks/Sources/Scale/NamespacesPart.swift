import Keyutils

/// One item in each of ever more namespaces of one session.
enum NamespacesPart {
    static func measure(_ report: Report) throws {
        let bench = try Bench(namespace: "scale", count: 20)
        var others: [Bench] = []
        for size in [1, 10, 100, 1_000] {
            while others.count < size - 1 { others.append(try Bench(namespace: "other-\(others.count)", count: 1)) }
            try ItemsPart.measureCalls(bench, size: size, report)
            try measureLinked(bench, size: size, report)
        }
    }

    /// With the namespace's ring linked into the process keyring, where the kernel looks first.
    private static func measureLinked(_ bench: Bench, size: Int, _ report: Report) throws {
        let process = try Keyring.resolve(.processKeyring, create: true)
        try process.link(Key(bench.ring))
        let medians = try Turns.measure(rounds: 60, calls: 500, floor: bench.floorGet, work: bench.get)
        try process.unlink(Key(bench.ring))
        report.add("get, ring linked into @p", size: size, medians)
    }
}
