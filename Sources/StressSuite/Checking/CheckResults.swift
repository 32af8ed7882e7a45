import Keyutils

/// The outcome of one check.
package struct CheckOutcome: Codable, Sendable, Equatable {
    package enum Verdict: String, Codable, Sendable {
        case passed, failed
        /// The check could not be made; the detail gives the reason, unless there was nothing to examine.
        case skipped
    }

    /// The statement that the check verifies, such as `no value is torn`.
    package var name: String
    package var verdict: Verdict
    /// The basis of the verdict, such as the number of values examined; after a failure, what was found.
    package var detail: String
    /// The calls that are involved in the failure, one call per line; empty if the check passed.
    package var evidence: [String] = []
    /// How many subjects the check examined.
    package var looked = 0
    /// The subjects that the check examined, such as `calls`.
    package var subject = ""
}

/// The outcomes of a run's checks, merged over all rounds into one for each check.
struct CheckResults {
    /// How to reproduce a failure; this is the first line of its evidence.
    let replay: String
    private(set) var entries: [CheckOutcome] = []

    /// Whether a check has failed.
    var hasFailed: Bool { entries.contains { $0.verdict == .failed } }

    /// Records what a check found in a round.
    ///
    /// - Parameters:
    ///   - name: the statement that the check verifies.
    ///   - looked: how many subjects the check examined.
    ///   - subject: the subjects that the check examined, in the plural.
    ///   - failure: what was found; `nil` if the statement holds.
    ///   - evidence: lines that show the failure, if there is one.
    mutating func add(
        _ name: String, looked: Int, _ subject: String, failure: String? = nil, evidence: [String] = []
    ) {
        add(
            CheckOutcome(
                name: name, verdict: failure == nil ? .passed : .failed, detail: failure ?? "",
                evidence: failure == nil ? [] : [replay] + evidence, looked: looked, subject: subject))
    }

    /// Records an outcome, which replaces an earlier one of the same check only if it weighs more.
    ///
    /// So the first failure stays, and only a failure replaces an outcome that could not be decided.
    mutating func add(_ outcome: CheckOutcome) {
        guard let index = entries.firstIndex(where: { $0.name == outcome.name }) else {
            return entries.append(outcome)
        }
        if outcome.weight > entries[index].weight {
            entries[index].verdict = outcome.verdict
            entries[index].detail = outcome.detail
            entries[index].evidence = outcome.evidence
        }
        entries[index].looked += outcome.looked
    }

    /// The outcomes of all checks, except those that were skipped because they had nothing to examine.
    ///
    /// The detail of a passed check states how many subjects it examined in all rounds.
    var outcomes: [CheckOutcome] {
        entries.filter { $0.verdict != .skipped || $0.looked > 0 }.map { entry in
            guard entry.verdict == .passed else { return entry }
            var entry = entry
            entry.detail = "\(Figures.count(entry.looked)) \(entry.subject)"
            return entry
        }
    }
}

extension CheckOutcome {
    /// How much the outcome counts for the whole run.
    ///
    /// A round with nothing to examine counts least.
    fileprivate var weight: Int {
        switch verdict {
        case .skipped where looked == 0: 0
        case .passed: 1
        case .skipped: 2
        case .failed: 3
        }
    }
}
