import CFloor
import Glibc
import Keyutils
import SessionKeyring

/// Ten thousand items that expire in the same second, and what that does to the others.
struct ExpiryPart {
    static let count = 10_000

    /// Ends with the dead items cleared.
    func measure(_ report: Report) throws {
        let live = try Bench(namespace: "scale", count: 100)
        let dying = try Bench(namespace: "dying", count: 1)
        try dying.store.clear()
        usleep(200_000)
        let keys = try KeyQuota.current().keys
        try expire(dying, beside: live, report)
        report.add("charged while dead", size: Self.count, Double(try KeyQuota.current().keys - keys), "keys")
        try measureDead(dying, report)
        let start = Clock.now()
        try dying.store.clear()
        report.add("clear dead", size: Self.count, Double(Clock.now() - start), "ns")
        report.add("collected after clear", size: Self.count, Double(try Quota.settle(keys: keys)), "ns")
    }

    /// Leaves the dead items to the kernel, and looks at the second in which it removes them.
    func measureCollection(_ report: Report) throws {
        let live = try Bench(namespace: "scale", count: 100)
        let dying = try Bench(namespace: "dying", count: 1)
        try dying.store.clear()
        let keys = try KeyQuota.current().keys
        let deadline = try expire(dying, beside: live, report)
        report.add("charged while dead", size: Self.count, Double(try KeyQuota.current().keys - keys), "keys")
        let collection = Double(deadline) + (try Self.collectionDelay())
        Clock.sleep(until: collection - 2)
        var timeline = Timeline(start: collection, part: "collection")
        try timeline.sample(live, until: collection + 4)
        timeline.add(to: report)
        report.add("charged after collection", size: Self.count, Double(try KeyQuota.current().keys - keys), "keys")
    }

    /// Samples from two seconds before the end of the items to three seconds behind it.
    @discardableResult
    private func expire(_ dying: Bench, beside live: Bench, _ report: Report) throws -> time_t {
        let deadline = time(nil) + 6
        try dying.fill(count: Self.count, deadline: deadline)
        guard try dying.store.identities().count == Self.count else { throw Failure("some have expired early") }
        try measureLiving(dying, report)
        Clock.sleep(until: Double(deadline) - 2)
        var timeline = Timeline(start: Double(deadline), part: "expiry")
        try timeline.sample(live, until: Double(deadline) + 3)
        timeline.add(to: report)
        return deadline
    }

    private func measureLiving(_ dying: Bench, _ report: Report) throws {
        report.add(
            "identities before", size: Self.count, try nanoseconds { _ in _ = try dying.store.identities() }, "ns")
    }

    private func measureDead(_ dying: Bench, _ report: Report) throws {
        let dead = ItemIdentity.password(service: "scale", account: "item-000007")
        report.add("get dead", size: Self.count, try nanoseconds { _ in _ = try dying.store.contains(dead) }, "ns")
        report.add("identities dead", size: Self.count, try nanoseconds { _ in _ = try dying.store.identities() }, "ns")
        report.add("items dead", size: Self.count, try nanoseconds { _ in _ = try dying.store.items() }, "ns")
        let setTime = try nanoseconds { number in
            let item = ItemIdentity.password(service: "scale", account: "item-00010\(number)")
            try dying.store.set("again", for: item, timeout: .seconds(60))
        }
        report.add("set over dead", size: Self.count, setTime, "ns")
    }

    private func nanoseconds(calls: Int = 9, _ body: (Int) throws -> Void) throws -> Double {
        var times: [Double] = []
        for call in 0..<calls {
            let start = Clock.now()
            try body(call)
            times.append(Double(Clock.now() - start))
        }
        return times.quantile(0.5)
    }

    private static func collectionDelay() throws -> Double {
        guard let file = fopen("/proc/sys/kernel/keys/gc_delay", "re") else { throw Failure.ofCall("gc_delay") }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 32)
        guard fgets(&text, Int32(text.count), file) != nil else { throw Failure.ofCall("gc_delay") }
        return strtod(text, nil)
    }
}
