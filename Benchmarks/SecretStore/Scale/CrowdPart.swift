import Foundation
import Keyutils

/// The costs of one session among more and more others, all of the same user or each of a different user.
struct CrowdPart {
    let firstUser: UInt32?

    func measure(_ report: Report) throws {
        let memory = try Quota.kernelMemory()
        let bench = try Workbench(size: Scale.itemBytes, count: Member.itemCount)
        let crowd = Crowd(firstUser: firstUser)
        for size in [1, 10, 100, 1_000] {
            let start = ContinuousClock.now
            try crowd.grow(to: size - 1)
            report.add("all sessions up", size: size, start.elapsed.nanoseconds)
            usleep(200_000)
            try ItemsPart.measureCalls(bench, size: size, report)
            let keys = try KeyQuota.current().keys
            let fill = { try bench.fill(deadline: time(nil) + 900) }
            try report.add("clear", size: size, rounds: 50, bench.contest(.clear, after: fill))
            for _ in 0..<Member.itemCount { try bench.work(.set) }
            try Quota.settle(keys: keys)
            for path in ["/proc/keys", "/proc/key-users"] {
                let lines = try Quota.lines(of: path)
                report.add("\(path) lines", size: size, Double(lines.count), "lines")
                report.add("\(path) bytes", size: size, Double(lines.reduce(0) { $0 + $1.utf8.count + 1 }), "B")
            }
            report.add("kernel memory", size: size, try Quota.kernelMemory() - memory, "B")
        }
        try crowd.proveIsolation()
        report.add("sessions that see their own items alone", size: 1_000, Double(crowd.count), "sessions")
        let start = ContinuousClock.now
        try crowd.end()
        report.add("all sessions ended", size: 1_000, start.elapsed.nanoseconds)
    }
}
