import CFloor
import Glibc
import Keyutils
import SessionKeyring

/// One namespace, ever larger.
enum ItemsPart {
    static func measure(_ report: Report) throws {
        // The first write of a session makes rings that stay.
        try Bench(namespace: "first", count: 1).remove()
        for size in [10, 100, 1_000, 10_000, 100_000] {
            usleep(200_000)
            let before = try KeyQuota.current()
            let memory = try Quota.kernelMemory()
            let start = Clock.now()
            let bench = try Bench(namespace: "scale", count: size)
            report.add("set new", size: size, Double(Clock.now() - start) / Double(size), "ns")
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

    static func measureCalls(_ bench: Bench, size: Int, _ report: Report) throws {
        let keys = try KeyQuota.current().keys
        report.add("get", size: size, try Turns.measure(rounds: 60, calls: 500, floor: bench.floorGet, work: bench.get))
        report.add(
            "miss", size: size, try Turns.measure(rounds: 40, calls: 200, floor: bench.floorMiss, work: bench.miss))
        report.add(
            "set", size: size,
            try Turns.measure(
                rounds: 20, calls: 50, before: { try Quota.settle(keys: keys) }, floor: bench.floorSet, work: bench.set)
        )
        try Quota.settle(keys: keys)
        let rounds = max(5, min(100, 50_000 / size))
        report.add(
            "identities", size: size,
            try Turns.measure(
                rounds: rounds, calls: 1, floor: bench.floorList, work: bench.identities))
        report.add(
            "items", size: size,
            try Turns.measure(
                rounds: rounds, calls: 1, floor: bench.floorItems, work: bench.attributes))
    }

    /// The call itself, then how long the kernel takes to collect what it dropped, and what a get takes meanwhile.
    static func measureClear(size: Int, _ report: Report) throws {
        var (works, floors, collections): ([Double], [Double], [Double]) = ([], [], [])
        var longestGet = 0.0
        let other = try Bench(namespace: "other", count: 10)
        let bench = try Bench(namespace: "cleared", count: 1)
        try bench.store.clear()
        usleep(200_000)
        let keys = try KeyQuota.current().keys
        // Only once where it costs quota; see Bench.remove.
        for _ in 0..<(size > 16_383 ? 1 : max(3, min(30, 3_000 / size))) {
            for isFloor in [true, false] {
                try bench.fill(count: size, deadline: time(nil) + 900)
                let start = Clock.now()
                if isFloor {
                    guard floor_clear(bench.ring.serial.rawValue) == 0 else { throw Failure.ofCall("floor_clear") }
                    floors.append(Double(Clock.now() - start))
                } else {
                    try bench.store.clear()
                    works.append(Double(Clock.now() - start))
                }
                let collection = try Quota.settle(keys: keys) {
                    for _ in 0..<100 {
                        let start = Clock.now()
                        try other.get()
                        longestGet = max(longestGet, Double(Clock.now() - start))
                    }
                }
                collections.append(Double(collection))
            }
        }
        report.add("clear", size: size, Turns.Medians(works: works, floors: floors))
        report.add("collected after clear", size: size, collections.quantile(0.5), "ns")
        report.add("longest get during collection", size: size, longestGet, "ns")
        try bench.remove()
        try other.remove()
    }
}
