import Glibc
import Keyutils
import SessionKeyring
import StressSuite

/// The checks that must pass after both operations.
struct Examination {
    let series: ItemSeries
    let stage: Stage
    let first: Call
    let second: Call
    let third: Call?
    let meeting: Meeting

    private var calls: [Call] { [first, second] + (third.map { [$0] } ?? []) }

    /// Returns the checks that fail, with a few lines each.
    func problems() throws -> [String] {
        var problems = try answers() + lateness() + sections() + lostFetches()
        for item in [SceneItem.contested, SceneItem.bystander] { problems += try histories(of: item) }
        problems += try facts() + refusedAnswers()
        if series.stop != .kill { problems += try orphans() }
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
                return "\(call.role) \(call.operation.rawValue): the lease was lost too early"
            case .threw where !isAllowed(report):
                return "\(call.role) \(call.operation.rawValue) failed: \(report.error.text)"
            default: return nil
            }
        }
    }

    private func isAllowed(_ report: CallReport) -> Bool {
        if report.isQuotaExceeded { return series.state == .nearQuota }
        return report.isAboutLease && series.stop == .outlasting
    }

    /// Checks that the second operation does not wait for a dead process.
    private func lateness() -> [String] {
        guard first.killedAt != nil, second.report.returned != 0 else { return [] }
        let milliseconds = (second.report.returned - second.report.invoked) / 1_000_000
        return milliseconds < 1_000 ? [] : ["the second operation waited \(milliseconds) ms for a dead process"]
    }

    /// Checks that a fetched value is stored if nothing happened to the item, however long the process was stopped.
    private func lostFetches() throws -> [String] {
        guard first.operation == .longFetch, !second.isChange, first.report.fetched != 0 else { return [] }
        let found = SceneItem.stamp(of: try stage.observer.get(SceneItem.contested, as: String.self))
        return found == first.role.stamp.rawValue ? [] : ["the fetched value is not stored"]
    }

    private func sections() -> [String] {
        guard let one = first.section, let other = second.section else { return [] }
        let overlap = min(one.until, other.until).subtractingReportingOverflow(max(one.from, other.from))
        return overlap.overflow ? [] : ["both held the lease at the same time, for \(overlap.partialValue / 1_000) us"]
    }

    // MARK: - The history

    /// Reads the item and its timeout once more, and checks all operations on it.
    private func histories(of item: ItemIdentity) throws -> [String] {
        let invoked = MonotonicTime.now
        let found = SceneItem.stamp(of: try stage.observer.get(item, as: String.self))
        let look = ItemOperation(
            worker: Role.scene.worker, effect: .read(Stamp(rawValue: found)), invoked: invoked,
            returned: MonotonicTime.now)
        var problems: [String] = []
        if let stamp = Stamp(rawValue: found),
            let problem = try Lifetimes(calls: calls, series: series).problem(of: stamp, item, in: stage.observer)
        {
            problems.append(problem)
        }
        let operations =
            (stage.history[item] ?? []) + [look]
            + calls.flatMap { $0.operations(on: item, meeting: others(than: $0)) }
        let history = ItemHistory(name: item.service, operations: operations)
        let verdict = verdict(of: history)
        guard !verdict.isEmpty, isDocumented(history, item) else { return problems + verdict }
        return problems
    }

    /// The operations that this one met, and whether they waited for it, as far as the scene could see.
    private func others(than call: Call) -> [(call: Call, hasWaited: Bool)] {
        calls.filter { $0.role != call.role }.map { other in
            switch other.role {
            case .second where call.role == .first: (other, meeting.hasSecondWaited)
            case .third: (other, meeting.hasThirdWaited)
            default: (other, true)
            }
        }
    }

    /// Whether the history is explained by one of the exceptions that are known and documented.
    ///
    /// - A clear doesn't wait for an update, and neither does the clock. If the item disappears between an update's
    ///   last look and its write, this counts as if it had disappeared before the update.
    /// - A set or delete that was stopped for long between its look at the update flag and its write is repeated under
    ///   the lease. So it may take effect a second time.
    /// - A fetch that notices after its write that something has happened to the item withdraws its value. If that was
    ///   a clear, the value that the fetch replaced may be gone by then.
    private func isDocumented(_ history: ItemHistory, _ item: ItemIdentity) -> Bool {
        var operations = history.operations
        let hasClear = calls.contains { $0.operation == .clear }
        if series.stop.crossesExpiry || hasClear {
            operations = operations.map(\.withoutWhatWasFound)
            if holds(operations, of: history) { return true }
        }
        return calls.contains { call in
            guard call.item == item, call.killedAt == nil else { return false }
            switch call.operation {
            case .set, .setTimeout: return holdsWithSecondSet(by: call, history)
            case .delete, .fetch, .refresh:
                operations.append(call.again(.remove(found: nil)))
                defer { operations.removeLast() }
                if holds(operations, of: history) { return true }
                // If a clear comes first, others can read the fetched value until the fetch withdraws it.
                guard call.operation != .delete, hasClear else { return false }
                let late = operations.map { operation in
                    if operation.worker != call.role.worker { return operation }
                    if case .read = operation.effect { return operation }
                    return call.again(operation.effect)
                }
                return holds(late, of: history)
            default: return false
            }
        }
    }

    /// Whether the history holds if a set took effect a second time, and some of its readers found the second value.
    private func holdsWithSecondSet(by call: Call, _ history: ItemHistory) -> Bool {
        let stamp = Stamp(writer: call.role.rawValue, number: 2)
        return history.operations.indices.contains { first in
            let operations = history.operations.enumerated().map { index, operation in
                guard index >= first, operation.effect == .read(call.role.stamp) else { return operation }
                return operation.with(.read(stamp))
            }
            return holds(operations + [call.again(.write(stamp, timeout: call.timeout))], of: history)
        }
    }

    private func holds(_ operations: [ItemOperation], of history: ItemHistory) -> Bool {
        verdict(of: ItemHistory(name: history.name, operations: operations)).isEmpty
    }

    /// A fetch that got an old value has replaced exactly that one, or has stored nothing.
    private func verdict(of history: ItemHistory) -> [String] {
        let problems = plainVerdict(of: history)
        guard !problems.isEmpty else { return [] }
        let isExplained = calls.filter(\.replacesOld).contains { call in
            let rest = history.operations.filter { !$0.replaces(by: call.role.stamp) }
            return rest.count < history.operations.count && holds(rest, of: history)
        }
        return isExplained ? [] : problems
    }

    private func plainVerdict(of history: ItemHistory) -> [String] {
        switch LinearizabilityCheck.verdict(on: history) {
        case .holds: []
        case .undecided(let reason): ["\(history.name): undecided: \(reason)"]
        case .violation(let violation):
            [(["\(history.name): \(violation.reason)"] + violation.lines).joined(separator: "\n")]
        }
    }

    // MARK: - The facts

    /// Checks that the facts about the item's value are those that its writer has stated, or none.
    private func facts() throws -> [String] {
        var writer: UInt64 = 0
        let known = try stage.observer.backend.readWithFacts(SceneItem.contested) { bytes in
            writer = bytes.withUnsafeBytes { SceneItem.stamp(of: String(decoding: $0, as: UTF8.self)) }
        }
        guard let known else { return try lostFacts() }
        let refusals = calls.filter { $0.operation == .refuse && $0.item == SceneItem.contested }
        if writer == Role.scene.stamp.rawValue, refusals.contains(where: { $0.report.outcome == .done }) {
            return known.facts?.isRefused == true ? [] : ["the refused value isn't refused any more"]
        }
        let call = calls.first { $0.role.stamp.rawValue == writer }
        let isRefreshed = call?.operation == .refresh && call?.item == SceneItem.contested
        guard let facts = known.facts else {
            let isExpected = isRefreshed && call?.killedAt == nil && series.state != .nearQuota
            return isExpected && series.stop != .outlasting ? ["the refreshed value has no facts"] : []
        }
        var expected = series.state == .due ? Stage.dueFacts : ItemFacts()
        expected.isRefused = facts.isRefused
        let mayBeRefused = refusals.contains { $0.killedAt != nil && $0.report.outcome != .refused }
        if call == nil, facts == expected, mayBeRefused || !facts.isRefused && facts != ItemFacts() { return [] }
        // An update of a value that has facts states facts too.
        let hadFacts = series.state == .due || calls.contains { [.refresh, .refuse].contains($0.operation) }
        if call?.operation == .update, hadFacts, facts == ItemFacts(freshness: .always, usability: .always) {
            return []
        }
        if let call, isRefreshed, !facts.isRefused, case .until(let end) = facts.freshness,
            abs(Int(end) / 1_000 - time(nil) - Int(call.role.timeout / 2)) < 30
        {
            return []
        }
        return ["\(Stamp(rawValue: writer).map { "\($0)" } ?? "the value") has the facts \(facts)"]
    }

    /// Checks that the facts of a deleted item are gone.
    ///
    /// A clear takes no lease, so it may miss the facts about a value that it removes.
    private func lostFacts() throws -> [String] {
        let mayExpire = series.state == .expired || series.stop.crossesExpiry
        if first.killedAt != nil || mayExpire || calls.contains(where: { $0.operation == .clear }) { return [] }
        let isThere = try stage.observer.backend.contains(SceneItem.contested.companion)
        return isThere ? ["there are facts, but not an item"] : []
    }

    /// Checks that no fetch that began after the value was refused returns it.
    private func refusedAnswers() -> [String] {
        let refusals = calls.filter { $0.operation == .refuse && $0.killedAt == nil && $0.report.outcome == .done }
        return calls.filter { call in
            call.operation.isFetch && call.killedAt == nil && call.report.observed == Role.scene.stamp.rawValue
                && refusals.contains { $0.item == call.item && $0.report.returned < call.report.invoked }
        }.map { "\($0.role) \($0.operation.rawValue): the refused value is returned" }
    }

    // MARK: - Orphans and the next writer

    /// Finds keys that are neither items nor keys that the library keeps.
    private func orphans() throws -> [String] {
        var found: [String] = []
        for serial in try stage.anchor.members() {
            guard let ring = try? Key(serial).describe() else { continue }
            guard ring.type == .keyring, ring.name.hasPrefix("skr"), !ring.name.hasPrefix("skr-making") else {
                found.append("orphan: \(ring.type) \(ring.name)")
                continue
            }
            for member in try Keyring(serial).members() {
                guard let key = try? Key(member).describe() else { continue }
                let isItem = ring.name == "skr:" + SceneItem.namespace
                if isItem ? !Self.isItem(key.name) : !key.name.hasPrefix("updates:") {
                    found.append("orphan: \(key.type) \(key.name) in \(ring.name)")
                }
            }
        }
        return found
    }

    private static func isItem(_ name: String) -> Bool {
        ["contested", "bystander", "counter"].contains { name.contains(":\($0):") }
    }

    /// Checks that the next writer finds everything in order.
    private func heals() -> [String] {
        do throws(SecretStoreError) {
            let value = SceneItem.value(Stamp(writer: 9, number: 1), size: 1)
            let began = MonotonicTime.now
            try stage.observer.set(value, for: SceneItem.contested, lasting: .seconds(60))
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

extension Call {
    /// Returns an effect that the call may have had a second time.
    fileprivate func again(_ effect: ItemOperation.Effect) -> ItemOperation {
        ItemOperation(
            worker: role.worker, effect: effect, invoked: report.invoked, returned: report.returned, isCertain: false)
    }
}

extension ItemOperation {
    fileprivate func with(_ effect: Effect) -> ItemOperation {
        ItemOperation(worker: worker, effect: effect, invoked: invoked, returned: returned, isCertain: isCertain)
    }

    /// Whether it replaces an old value by this one.
    fileprivate func replaces(by stamp: Stamp) -> Bool {
        switch effect {
        case .replace(_, stamp, _), .change(stamp, _): true
        default: false
        }
    }

    /// The same operation; an update without the value that it found.
    fileprivate var withoutWhatWasFound: ItemOperation {
        guard case .replace(_, let stamp, let timeout) = effect else { return self }
        return with(.change(to: stamp, timeout: timeout))
    }
}
