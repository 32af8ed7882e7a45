/// The checks of all rounds of a run, each once.
struct CheckResults {
    private var entries: [CheckOutcome] = []

    /// Whether a check has failed.
    var hasFailed: Bool { entries.contains { $0.verdict == .failed } }

    /// Notes what a check found in a round.
    ///
    /// - Parameters:
    ///   - name: what is checked, as a statement that holds.
    ///   - looked: at how many of the subject it looked.
    ///   - failure: what was found; `nil` where it holds.
    ///   - evidence: what shows it.
    mutating func note(
        _ name: String,
        looked: Int,
        _ subject: String,
        failure: String? = nil,
        evidence: [String] = []
    ) {
        note(
            CheckOutcome(
                name: name, verdict: failure == nil ? .passed : .failed, detail: failure ?? "", evidence: evidence,
                looked: looked, subject: subject))
    }

    /// Notes an outcome: the first failure stays, and what could not be decided gives way to nothing else.
    mutating func note(_ outcome: CheckOutcome) {
        guard let index = entries.firstIndex(where: { $0.name == outcome.name }) else {
            return entries.append(outcome)
        }
        entries[index].looked += outcome.looked
        guard outcome.weight > entries[index].weight else { return }
        entries[index].verdict = outcome.verdict
        entries[index].detail = outcome.detail
        entries[index].evidence = outcome.evidence
    }

    /// Each check once, but those that had nothing to look at; what has passed says how much that was in all.
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
    /// What it says about the whole of a run: in a round without anything to look at, nothing.
    fileprivate var weight: Int {
        switch verdict {
        case .skipped where looked == 0: 0
        case .passed: 1
        case .skipped: 2
        case .failed: 3
        }
    }
}
