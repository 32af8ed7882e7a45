import Foundation
import Keyutils
import SessionKeyring

/// Ten thousand items that expire in the same second, and the effect on other items.
struct ExpiryPart {
    private let count = 10_000
    private let live: Workbench
    private let dying: Workbench
    private let keys: Int

    init() throws {
        live = try Workbench(size: Scale.itemBytes, count: 100)
        dying = try Workbench(namespace: "dying", size: Scale.itemBytes, count: count)
        try dying.work(.clear)
        usleep(200_000)
        keys = try KeyQuota.current().keys
    }

    /// Measures the expiry, then clears the expired items.
    func measure(_ report: Report) throws {
        try expire(report)
        report.add("charged while dead", size: count, Double(try KeyQuota.current().keys - keys), "keys")
        try measureDead(report)
        report.add("clear dead", size: count, try ContinuousClock().measure { try dying.work(.clear) }.nanoseconds)
        report.add("collected after clear", size: count, try Quota.settle(keys: keys).nanoseconds)
    }

    /// Leaves the expired items to the kernel, and measures around the second in which it removes them.
    func measureCollection(_ report: Report) throws {
        let deadline = try expire(report)
        report.add("charged while dead", size: count, Double(try KeyQuota.current().keys - keys), "keys")
        guard let delay = try Quota.lines(of: "/proc/sys/kernel/keys/gc_delay").first.flatMap({ Double($0) }) else {
            throw Failure("can't read /proc/sys/kernel/keys/gc_delay")
        }
        let collection = deadline.addingTimeInterval(delay)
        try Timeline(start: collection, part: "collection", seconds: -2..<4).measure(live, report)
        report.add("charged after collection", size: count, Double(try KeyQuota.current().keys - keys), "keys")
    }

    /// Takes samples from two seconds before the items expire to three seconds after that.
    @discardableResult
    private func expire(_ report: Report) throws -> Date {
        let deadline = time(nil) + 6
        try dying.fill(deadline: deadline)
        guard try dying.store.identities().count == count else { throw Failure("some items have expired too early") }
        try median("identities before", report) { _ in _ = try dying.store.identities() }
        let end = Date(timeIntervalSince1970: Double(deadline))
        try Timeline(start: end, part: "expiry", seconds: -2..<3).measure(live, report)
        return end
    }

    private func measureDead(_ report: Report) throws {
        let store = dying.store
        try median("get dead", report) { _ in _ = try store.contains(dying.items[7]) }
        try median("identities dead", report) { _ in _ = try store.identities() }
        try median("items dead", report) { _ in _ = try store.items() }
        try median("set over dead", report) { number in
            try store.set("again", for: dying.items[100 + number], lasting: .seconds(60))
        }
    }

    private func median(_ what: String, _ report: Report, _ body: (Int) throws -> Void) throws {
        let times = try (0..<9).map { number in try ContinuousClock().measure { try body(number) }.nanoseconds }
        report.add(what, size: count, times.quantile(0.5))
    }
}

/// The durations of calls, by the tenth of a second after `start` in which they began.
private struct Timeline {
    let start: Date
    let part: String
    let seconds: Range<Double>

    /// Makes gets all the time, a set every 5 ms and a list every 25 ms.
    ///
    /// The reported size is the number of milliseconds since `start`.
    func measure(_ bench: Workbench, _ report: Report) throws {
        var times: [String: [Int: [Double]]] = [:]
        func note(_ name: String, at date: Double, _ call: () throws -> Void) throws {
            let time = try ContinuousClock().measure(call)
            times[name, default: [:]][Int((date * 10).rounded(.down)), default: []].append(time.nanoseconds)
        }
        Thread.sleep(until: start.addingTimeInterval(seconds.lowerBound))
        var (nextSet, nextList) = (-Double.infinity, -Double.infinity)
        while case let now = -start.timeIntervalSinceNow, now < seconds.upperBound {
            try note("get", at: now) { try bench.work(.get) }
            try note("baseline get", at: now) { try bench.baseline(.get) }
            if now >= nextSet {
                try note("set", at: now) { try bench.work(.set) }
                nextSet = now + 0.005
            }
            if now >= nextList {
                try note("identities", at: now) { try bench.work(.list) }
                nextList = now + 0.025
            }
        }
        for (call, tenths) in times.sorted(by: { $0.key < $1.key }) {
            for (tenth, values) in tenths.sorted(by: { $0.key < $1.key }) {
                report.add("\(part) \(call)", "", size: tenth * 100, values)
            }
        }
    }
}
