/// Checks that the counters in the items agree with the calls that the workers made.
extension RoundChecks {
    func addCounts(to results: inout CheckResults) {
        switch plan.workload {
        case .update: addUpdates(to: &results)
        case .lease, .shortLease: addSections(to: &results)
        case .classic where !outcome.isInterrupted: addClassicWrites(to: &results)
        default: break
        }
    }

    private func addUpdates(to results: inout CheckResults) {
        for item in 0..<plan.items {
            let updates = history.calls.filter { $0.kind == .update && Int($0.item) == item }
            let sure = updates.count { $0.outcome == .done }
            let unsure = updates.count { $0.isCutOff && $0.written != 0 }
            add("every update counts once", item, sure...(sure + unsure), to: &results, "updates")
        }
    }

    private func addSections(to results: inout CheckResults) {
        for (item, all) in history.sections.enumerated() {
            let taken = all.filter { $0.count != 0 }.sorted { $0.count < $1.count }
            let whole = taken.filter { $0.outcome == .done }
            let overlap = zip(whole, whole.dropFirst()).first { $1.count < $0.written }
            results.add(
                "a lease has one holder at a time", looked: whole.count, "critical sections",
                failure: overlap.map { "workers \($0.worker) and \($1.worker) both held the lease of item \(item)" },
                evidence: overlap.map { [section($0), section($1)] } ?? [])
            let backwards = zip(taken, taken.dropFirst()).first { $1.observed <= $0.observed }
            results.add(
                "fencing numbers only grow", looked: taken.count, "leases",
                failure: backwards.map { "number \($1.observed) came after \($0.observed)" },
                evidence: backwards.map { [section($0), section($1)] } ?? [])
            // If a holder lost its lease, the count proves nothing: the holder might have written its count or not, and
            // might have overwritten another holder's count.
            guard plan.workload == .lease, taken.allSatisfy({ $0.outcome == .done || $0.isCutOff }) else { continue }
            let unsure = taken.count { $0.isCutOff }
            let (name, unit) = ("every critical section counts once", "critical sections")
            add(name, item, whole.count...(whole.count + unsure), to: &results, unit)
        }
    }

    private func section(_ call: CallRecord) -> String {
        "worker \(call.worker): held the lease from \(call.count) to \(call.written) ns, "
            + "with fencing number \(call.observed)"
    }

    private func add(
        _ name: String, _ item: Int, _ expected: ClosedRange<Int>, to results: inout CheckResults, _ unit: String
    ) {
        guard let last = history.calls.last(where: { $0.worker == 0 && $0.kind == .get && Int($0.item) == item }) else {
            return
        }
        let (least, most) = (expected.lowerBound, expected.upperBound)
        let bounds = least == most ? "\(least)" : "\(least) to \(most)"
        let found = Int(last.count)
        results.add(
            name, looked: least, unit,
            failure: expected.contains(found) ? nil : "the counter of item \(item) is \(found) after \(bounds) \(unit)")
    }

    private func addClassicWrites(to results: inout CheckResults) {
        let writers = Set(
            ClassicRole.workers.indices.filter { ClassicRole.workers[$0] == .writer }.map { UInt32($0 + 1) })
        let writes = history.calls.count { $0.kind == .set && $0.outcome == .done && writers.contains($0.worker) }
        results.add(
            "the writers have written exactly 1,000 times", looked: writes, "writes",
            failure: writes == ClassicRole.writes ? nil : "\(writes) writes")
    }
}
