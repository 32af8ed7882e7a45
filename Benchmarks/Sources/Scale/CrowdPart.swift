import CFloor
import Glibc
import Keyutils

/// This session among ever more others, of the same user or each of another one.
struct CrowdPart {
    let firstUser: UInt32?

    func measure(_ report: Report) throws {
        let memory = try Quota.kernelMemory()
        let bench = try Bench(namespace: "scale", count: Member.itemCount)
        let crowd = Crowd(firstUser: firstUser)
        for size in [1, 10, 100, 1_000] {
            let start = Clock.now()
            try crowd.grow(to: size - 1)
            report.add("all sessions up", size: size, Double(Clock.now() - start), "ns")
            usleep(200_000)
            try ItemsPart.measureCalls(bench, size: size, report)
            try measureClear(bench, size: size, report)
            for path in ["/proc/keys", "/proc/key-users"] {
                let (lines, bytes) = try Quota.size(of: path)
                report.add("\(path) lines", size: size, Double(lines), "lines")
                report.add("\(path) bytes", size: size, Double(bytes), "B")
            }
            report.add("kernel memory", size: size, try Quota.kernelMemory() - memory, "B")
        }
        try crowd.proveIsolation()
        report.add("sessions that see their own items alone", size: 1_000, Double(crowd.count), "sessions")
        let start = Clock.now()
        try crowd.end()
        report.add("all sessions ended", size: 1_000, Double(Clock.now() - start), "ns")
    }

    private func measureClear(_ bench: Bench, size: Int, _ report: Report) throws {
        let keys = try KeyQuota.current().keys
        let medians = try Turns.measure(rounds: 50, calls: 1) {
            try bench.fill(count: Member.itemCount, deadline: time(nil) + 900)
        } floor: {
            guard floor_clear(bench.ring.serial.rawValue) == 0 else { throw Failure.ofCall("floor_clear") }
        } work: {
            try bench.store.clear()
        }
        report.add("clear", size: size, medians)
        for _ in 0..<Member.itemCount { try bench.set() }
        try Quota.settle(keys: keys)
    }
}
