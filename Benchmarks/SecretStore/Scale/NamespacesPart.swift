import Keyutils

/// One item in each of ever more namespaces of one session.
enum NamespacesPart {
    static func measure(_ report: Report) throws {
        let bench = try Workbench(size: Scale.itemSize, count: 20)
        var others: [Workbench] = []
        for size in [1, 10, 100, 1_000] {
            while others.count < size - 1 {
                others.append(try Workbench(namespace: "other-\(others.count)", size: Scale.itemSize, count: 1))
            }
            try ItemsPart.measureCalls(bench, size: size, report)
            // With the namespace's ring linked into the process keyring, where the kernel looks first.
            let process = try Keyring.resolve(.processKeyring, create: true)
            try process.link(Key(bench.ring))
            try report.add("get, ring linked into @p", size: size, rounds: 60, calls: 500, bench.contest(.get))
            try process.unlink(Key(bench.ring))
        }
    }
}
