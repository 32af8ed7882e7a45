import Glibc
import Threads

/// Runs all checks on all histories of a run.
package enum HistoryVerdicts {
    /// Ordered from the most specific check to the one that finds everything, so that a failure is named precisely.
    private static let checks: [any HistoryCheck.Type] = [
        WrittenValuesCheck.self, ReaderOrderCheck.self, UpdateChainCheck.self, LifetimeCheck.self,
        LinearizabilityCheck.self,
    ]

    /// Returns one outcome for each check, and uses all processors.
    ///
    /// A check that had nothing to examine, or could not decide, is skipped. It has not passed.
    package static func outcomes(for histories: [ItemHistory], seed: UInt64) -> [CheckOutcome] {
        let findings = findings(for: histories)
        return checks.indices.map { check in
            let column = zip(histories, findings).map { (item: $0.name, finding: $1[check]) }
            return outcome(of: checks[check], column, seed)
        }
    }

    /// Runs the checks in threads that end.
    ///
    /// Threads of a pool would keep their thread keyrings, which cost quota.
    private static func findings(for histories: [ItemHistory]) -> [[Finding]] {
        let found = Locked([[Finding]](repeating: [], count: histories.count))
        let threads = min(histories.count, max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))))
        let next = Locked(0)
        ThreadTeam.run(threads) { _ in
            while true {
                let index = next.withLock { next in
                    next += 1
                    return next - 1
                }
                guard index < histories.count else { return }
                let writers = Writers(histories[index])
                let findings = checks.map { $0.check(histories[index], writers) }
                found.withLock { $0[index] = findings }
            }
        }
        return found.withLock { $0 }
    }

    private static func outcome(
        of check: any HistoryCheck.Type, _ column: [(item: String, finding: Finding)], _ seed: UInt64
    ) -> CheckOutcome {
        let looked = column.reduce(0) { $0 + $1.finding.looked }
        var outcome = CheckOutcome(
            name: check.statement, verdict: looked == 0 ? .skipped : .passed, detail: "", looked: looked,
            subject: check.subject)
        for (item, finding) in column {
            switch finding.verdict {
            case .holds: continue
            case .undecided(let reason):
                guard outcome.detail.isEmpty else { continue }
                outcome.verdict = .skipped
                outcome.detail = "undecided for item \(item): \(reason)"
            case .violation(let violation):
                outcome.verdict = .failed
                outcome.detail = "item \(item): \(violation.reason)"
                let replay = "to repeat it, use the same options and --seed \(seed)"
                outcome.evidence = ["item \(item), seed \(seed): \(violation.reason); \(replay)"] + violation.lines
                return outcome
            }
        }
        return outcome
    }
}
