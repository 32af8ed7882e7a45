import SessionKeyring

/// Whether the counters in the items agree with the calls that were made.
struct CountChecks {
    let plan: StressPlan
    let history: RoundHistory
    let outcome: Round.Outcome

    func note(in results: inout CheckResults) {
        switch plan.workload {
        case .update: noteUpdates(in: &results)
        case .lease, .shortLease: noteSections(in: &results)
        case .classic where !outcome.isInterrupted: noteClassicWrites(in: &results)
        default: break
        }
    }

    private func noteUpdates(in results: inout CheckResults) {
        for item in 0..<plan.items {
            let updates = history.calls.filter { $0.kind == .update && Int($0.item) == item }
            let sure = updates.count { $0.outcome == .done }
            let unsure = updates.count { $0.isCutOff && $0.written != 0 }
            note("every update counts once", item, sure...(sure + unsure), in: &results, "updates")
        }
    }

    private func noteSections(in results: inout CheckResults) {
        for (item, all) in history.sections.enumerated() {
            let taken = all.filter { $0.count != 0 }.sorted { $0.count < $1.count }
            let whole = taken.filter { $0.outcome == .done }
            let overlap = zip(whole, whole.dropFirst()).first { $1.count < $0.written }
            results.note(
                "a lease has one holder at a time", looked: whole.count, "sections",
                failure: overlap.map { "workers \($0.worker) and \($1.worker) both held the one of item \(item)" },
                evidence: overlap.map { [section($0), section($1)] } ?? [])
            let backwards = zip(taken, taken.dropFirst()).first { $1.observed <= $0.observed }
            results.note(
                "fencing numbers only grow", looked: taken.count, "leases",
                failure: backwards.map { "\($1.observed) came after \($0.observed)" },
                evidence: backwards.map { [section($0), section($1)] } ?? [])
            // A holder that lost its lease may have written or not, and over what another holder had written.
            guard plan.workload == .lease, taken.allSatisfy({ $0.outcome == .done || $0.isCutOff }) else { continue }
            let unsure = taken.count { $0.isCutOff }
            note("every section counts once", item, whole.count...(whole.count + unsure), in: &results, "sections")
        }
    }

    private func section(_ call: CallRecord) -> String {
        "worker \(call.worker): held it from \(call.count) to \(call.written) ns, fencing number \(call.observed)"
    }

    private func note(
        _ name: String, _ item: Int, _ expected: ClosedRange<Int>, in results: inout CheckResults, _ unit: String
    ) {
        guard let last = history.calls.last(where: { $0.worker == 0 && $0.kind == .get && Int($0.item) == item }) else {
            return
        }
        let (least, most) = (expected.lowerBound, expected.upperBound)
        let bounds = least == most ? "\(least)" : "\(least) to \(most)"
        let found = Int(last.count)
        results.note(
            name, looked: least, unit,
            failure: expected.contains(found) ? nil : "\(bounds) \(unit) of item \(item), and it says \(found)")
    }

    private func noteClassicWrites(in results: inout CheckResults) {
        let writers = Set(
            ClassicRole.workers.indices.filter { ClassicRole.workers[$0] == .writer }.map { UInt32($0 + 1) })
        let writes = history.calls.count { $0.kind == .set && $0.outcome == .done && writers.contains($0.worker) }
        results.note(
            "the writers have written exactly 1,000 times", looked: writes, "writes",
            failure: writes == ClassicRole.writes ? nil : "\(writes) writes")
    }
}
