/// The checks of a round other than those of its item histories.
struct RoundChecks {
    let plan: StressPlan
    let history: RoundHistory
    let outcome: RoundOutcome
    let isQuotaTight: Bool
    /// Whether this is the first round.
    ///
    /// Workers are counted only there, because all rounds have the same ones.
    let isFirst: Bool

    func addOutcomes(to results: inout CheckResults) {
        addFlaws(to: &results)
        addErrors(to: &results)
        results.add(
            "every worker ends normally", looked: isFirst ? plan.workers : 0, "workers",
            failure: outcome.failures.first, evidence: outcome.failures)
        addCounts(to: &results)
    }

    private func addFlaws(to results: inout CheckResults) {
        let values = history.calls.filter { $0.outcome == .done && ($0.observed != 0 || $0.flaw != nil) }
        for (name, flaws) in [
            ("no value is torn", [StampedValue.Flaw.torn]),
            ("no value belongs to another item or another run", [.otherItem, .otherRun]),
        ] {
            let flawed = values.filter { call in call.flaw.map(flaws.contains) ?? false }
            results.add(
                name, looked: values.count, "values read",
                failure: flawed.isEmpty ? nil : "\(flawed.count) of \(values.count) values read",
                evidence: flawed.prefix(20).map(describe))
        }
    }

    private func addErrors(to results: inout CheckResults) {
        let unexpected = history.calls.filter { call in
            call.outcome == .threw && !(call.error.map(expects) ?? false)
        }
        results.add(
            "no call throws an unexpected error", looked: history.returned, "calls",
            failure: unexpected.first.map { "\(unexpected.count) calls, the first: \($0.error?.rawValue ?? "other")" },
            evidence: unexpected.prefix(20).map(describe))
    }

    /// Whether a call can throw this error although nothing is wrong.
    private func expects(_ error: ErrorName) -> Bool {
        switch error {
        // An ordinary user has little quota, and the kernel frees the quota of displaced keys late.
        case .quotaExceeded: isQuotaTight
        // If holders are killed, the other workers wait until the killed holders' leases end.
        case .leaseLost, .contended: plan.killEvery != nil && (plan.workload == .lease || plan.workload == .update)
        default: false
        }
    }

    private func describe(_ call: CallRecord) -> String {
        let item = call.item == CallRecord.allItems ? "all items" : "item \(plan.name(ofItem: Int(call.item)))"
        let found = call.flaw.map { ", found a value that is \($0.rawValue)" } ?? ""
        let threw = call.error.map { ", threw: \($0.rawValue)" } ?? ""
        return "worker \(call.worker): \(call.kind.rawValue) of \(item)\(found)\(threw)"
    }
}
