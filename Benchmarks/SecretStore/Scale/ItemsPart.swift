import Foundation
import Keyutils

/// The costs of one namespace with more and more items.
enum ItemsPart {
    static func measure(_ report: Report) throws {
        // The first write in a session creates rings that stay.
        try Workbench(namespace: "first", size: Scale.itemBytes, count: 1).remove()
        for size in [10, 100, 1_000, 10_000, 100_000] {
            usleep(200_000)
            let before = try KeyQuota.current()
            let memory = try Quota.kernelMemory()
            let start = ContinuousClock.now
            let bench = try Workbench(size: Scale.itemBytes, count: size)
            report.add("set new", size: size, start.elapsed.nanoseconds / Double(size))
            try Quota.settle(keys: before.keys + size + 1)
            if size >= 10_000 {
                report.add("memory an item", size: size, (try Quota.kernelMemory() - memory) / Double(size), "B")
            }
            let quota = try KeyQuota.current()
            report.add("quota keys", size: size, Double(quota.keys - before.keys), "keys")
            report.add("quota bytes an item", size: size, Double(quota.bytes - before.bytes) / Double(size), "B")
            try measureCalls(bench, size: size, report)
            try bench.remove()
            try Quota.settle(keys: before.keys)
            try measureClear(size: size, report)
        }
    }

    static func measureCalls(_ bench: Workbench, size: Int, _ report: Report) throws {
        let keys = try KeyQuota.current().keys
        let settle = { _ = try Quota.settle(keys: keys) }
        try report.add("get", size: size, rounds: 60, calls: 500, bench.contest(.get))
        try report.add("miss", size: size, rounds: 40, calls: 200, bench.contest(.miss))
        try report.add("set", size: size, rounds: 20, calls: 50, bench.contest(.set, after: settle))
        try settle()
        let rounds = max(5, min(100, 50_000 / size))
        try report.add("identities", size: size, rounds: rounds, bench.contest(.list))
        try report.add("items", size: size, rounds: rounds, bench.contest(.items))
    }

    /// Measures a clear, the time until the kernel has collected the dropped keys, and gets during that time.
    static func measureClear(size: Int, _ report: Report) throws {
        var (works, baselines, collections): ([Duration], [Duration], [Double]) = ([], [], [])
        var longestGet = Duration.zero
        let other = try Workbench(namespace: "other", size: Scale.itemBytes, count: 10)
        let bench = try Workbench(namespace: "cleared", size: Scale.itemBytes, count: size)
        try bench.empty()
        usleep(200_000)
        let keys = try KeyQuota.current().keys
        // Only once if clearing loses quota; see Workbench.empty.
        for _ in 0..<(size > 16_383 ? 1 : max(3, min(30, 3_000 / size))) {
            for isBaseline in [true, false] {
                try bench.fill(deadline: time(nil) + 900)
                let start = ContinuousClock.now
                if isBaseline {
                    try bench.baseline(.clear)
                    baselines.append(start.elapsed)
                } else {
                    try bench.work(.clear)
                    works.append(start.elapsed)
                }
                let collection = try Quota.settle(keys: keys) {
                    for _ in 0..<100 {
                        longestGet = max(longestGet, try ContinuousClock().measure { try other.work(.get) })
                    }
                }
                collections.append(collection.nanoseconds)
            }
        }
        report.add("clear", size: size, works: works, baselines: baselines)
        report.add("collected after clear", size: size, collections.quantile(0.5))
        report.add("longest get during collection", size: size, longestGet.nanoseconds)
        try bench.remove()
        try other.remove()
    }
}

/// The costs in a session with more and more namespaces, most of them with one item.
enum NamespacesPart {
    static func measure(_ report: Report) throws {
        let bench = try Workbench(size: Scale.itemBytes, count: 20)
        var others: [Workbench] = []
        for size in [1, 10, 100, 1_000] {
            while others.count < size - 1 {
                others.append(try Workbench(namespace: "other-\(others.count)", size: Scale.itemBytes, count: 1))
            }
            try ItemsPart.measureCalls(bench, size: size, report)
            // Links the namespace's ring into the process keyring, where the kernel looks first.
            let process = try Keyring.resolve(.processKeyring, create: true)
            try process.link(Key(bench.ring))
            try report.add("get, ring linked into @p", size: size, rounds: 60, calls: 500, bench.contest(.get))
            try process.unlink(Key(bench.ring))
        }
    }
}
