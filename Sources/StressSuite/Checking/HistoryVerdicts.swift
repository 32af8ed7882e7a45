import Dispatch
import SessionKeyringTesting

/// All checks of all histories of a run.
package enum HistoryVerdicts {
    /// From the narrowest to the one that finds everything, so that a failure is named as exactly as possible.
    private static let checks: [any HistoryCheck.Type] = [
        WrittenValuesCheck.self, ReaderOrderCheck.self, UpdateChainCheck.self, LifetimeCheck.self,
        LinearizabilityCheck.self,
    ]

    /// One outcome for each check; uses all processors.
    ///
    /// A check that had nothing to look at, or could not be decided, is skipped: it has not passed.
    package static func outcomes(for histories: [ItemHistory], seed: UInt64) -> [CheckOutcome] {
        let found = Locked([[Finding]](repeating: [], count: histories.count))
        DispatchQueue.concurrentPerform(iterations: histories.count) { index in
            let history = histories[index]
            let writers = Writers(history)
            let findings = checks.map { $0.check(history, writers) }
            found.withLock { $0[index] = findings }
        }
        let findings = found.withLock { $0 }
        return checks.indices.map { check in
            let column = zip(histories, findings).map { (item: $0.name, finding: $1[check]) }
            return outcome(of: checks[check], column, seed)
        }
    }

    private static func outcome(
        of check: any HistoryCheck.Type,
        _ column: [(item: String, finding: Finding)],
        _ seed: UInt64
    ) -> CheckOutcome {
        let looked = column.reduce(0) { $0 + $1.finding.looked }
        let items = column.count == 1 ? "1 item" : "\(grouped(column.count)) items"
        let detail = "\(grouped(looked)) \(check.subject) on \(items)"
        var undecided: String?
        for (item, finding) in column {
            switch finding.verdict {
            case .holds: continue
            case .undecided(let reason): undecided = undecided ?? "undecided for item \(item): \(reason)"
            case .violation(let violation):
                let first =
                    "item \(item), seed \(seed): \(violation.reason); to replay: the same options and --seed \(seed)"
                return CheckOutcome(
                    name: check.statement, verdict: .failed, detail: "\(violation.reason), item \(item)",
                    evidence: [first] + violation.lines
                )
            }
        }
        if let undecided { return CheckOutcome(name: check.statement, verdict: .skipped, detail: undecided) }
        if looked == 0 {
            return CheckOutcome(name: check.statement, verdict: .skipped, detail: "there were no \(check.subject)")
        }
        return CheckOutcome(name: check.statement, verdict: .passed, detail: detail)
    }

    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0 && (digits.count - place) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
