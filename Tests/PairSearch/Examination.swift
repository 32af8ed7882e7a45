import Glibc
import Keyutils
import SessionKeyring
import StressSuite

/// What must hold when both operations are through.
struct Examination {
    let series: Series
    let stage: Stage
    let first: Call
    let second: Call
    /// Whether the second operation was seen to wait for the first.
    let hasSecondWaited: Bool

    private var calls: [Call] { [first, second] }

    /// What does not hold, a few lines each.
    func problems() throws -> [String] {
        var problems = answers() + lateness() + sections()
        // Whoever comes by recovers what a killed writer left in the middle of its work.
        if series.stop == .kill { _ = try stage.observer.items() }
        for item in [SceneItem.contested, SceneItem.bystander] { problems += try histories(of: item) }
        if series.stop != .kill { problems += try leftovers() }
        problems += heals()
        return problems
    }

    private func answers() -> [String] {
        calls.compactMap { call in
            let report = call.report
            if call.killedAt != nil { return nil }
            switch report.outcome {
            case .none: return "\(call.role) \(call.operation.rawValue): no answer"
            case .refused where call.operation.concernsLease && series.stop != .outlasting:
                return "\(call.role) \(call.operation.rawValue): the lease was lost before its time"
            case .threw where !isAllowed(report):
                return "\(call.role) \(call.operation.rawValue) failed: \(report.error)"
            default: return nil
            }
        }
    }

    private func isAllowed(_ report: CallReport) -> Bool {
        if report.isQuotaExceeded { return series.state == .nearQuota }
        return report.isAboutLease && series.stop == .outlasting
    }

    /// Nobody waits for a process that is dead.
    private func lateness() -> [String] {
        guard first.killedAt != nil, series.state != .nearQuota, second.report.returned != 0 else { return [] }
        let milliseconds = (second.report.returned - second.report.invoked) / 1_000_000
        return milliseconds < 1_000 ? [] : ["the second operation waited \(milliseconds) ms for a dead process"]
    }

    private func sections() -> [String] {
        guard let one = first.section, let other = second.section else { return [] }
        let overlap = min(one.until, other.until).subtractingReportingOverflow(max(one.from, other.from))
        return overlap.overflow ? [] : ["both held the lease for \(overlap.partialValue / 1_000) us"]
    }

    // MARK: - The history

    /// Looks at the item once more and at its timeout, and judges all that was done to it.
    private func histories(of item: ItemIdentity) throws -> [String] {
        let invoked = MonotonicTime.now
        let found = SceneItem.stamp(of: try stage.observer.get(item, as: String.self))
        let look = ItemOperation(
            actor: Role.scene.actor, effect: .read(Stamp(rawValue: found)), invoked: invoked,
            returned: MonotonicTime.now)
        var problems: [String] = []
        if let stamp = Stamp(rawValue: found),
            let problem = try Lifetimes(calls: calls, series: series).problem(of: stamp, item, in: stage.anchor)
        {
            problems.append(problem)
        }
        let operations =
            (stage.history[item] ?? []) + [look]
            + first.operations(on: item, meeting: second, hasWaited: hasSecondWaited)
            + second.operations(on: item, meeting: first, hasWaited: true)
        return problems + verdict(of: ItemHistory(name: item.service, operations: operations))
    }

    private func verdict(of history: ItemHistory) -> [String] {
        switch LinearizabilityChecker.check(history) {
        case .linearizable: []
        case .undecided(let reason): ["\(history.name): undecided: \(reason)"]
        case .violation(let violation):
            [(["\(history.name): \(violation.reason)"] + violation.lines).joined(separator: "\n")]
        }
    }

    // MARK: - What is left

    /// Keys that are neither items nor what the library keeps.
    private func leftovers() throws -> [String] {
        var found: [String] = []
        for serial in try stage.anchor.members() {
            guard let ring = try? Key(serial).describe() else { continue }
            guard ring.type == .keyring, ring.name.hasPrefix("skr"), !ring.name.hasPrefix("skr-making") else {
                found.append("left behind: \(ring.type) \(ring.name)")
                continue
            }
            for member in try Keyring(serial).members() {
                guard let key = try? Key(member).describe() else { continue }
                let isItem = ring.name == "skr:" + SceneItem.namespace
                if isItem ? !Self.isItem(key.name) : !key.name.hasPrefix("updates:") {
                    found.append("left behind: \(key.type) \(key.name) in \(ring.name)")
                }
            }
        }
        return found
    }

    private static func isItem(_ name: String) -> Bool {
        ["contested", "bystander", "counter"].contains { name.contains(":\($0):") }
    }

    /// The next writer finds everything in order.
    private func heals() -> [String] {
        do throws(SecretStoreError) {
            let value = SceneItem.value(Stamp(writer: 9, number: 1), size: 1)
            let began = MonotonicTime.now
            try stage.observer.set(value, for: SceneItem.contested, timeout: .seconds(60))
            guard try stage.observer.get(SceneItem.contested, as: String.self) == value else {
                return ["the next set is lost"]
            }
            let milliseconds = (MonotonicTime.now - began) / 1_000_000
            return milliseconds < 1_500 ? [] : ["the next set took \(milliseconds) ms"]
        } catch {
            return ["the next set fails: \(error)"]
        }
    }
}
