/// What became of one check.
package struct CheckOutcome: Codable, Sendable, Equatable {
    package enum Verdict: String, Codable, Sendable {
        case passed, failed
        /// It could not be made; the detail says why.
        case skipped
    }

    /// What is checked, as a statement that holds: `no value is torn`.
    package var name: String
    package var verdict: Verdict
    /// What it rests on, such as how many values were looked at; or what was found.
    package var detail: String
    /// The smallest history that shows the failure, a line each call; empty for what passed.
    package var evidence: [String] = []
    /// At how many it looked, and at how many what.
    package var looked = 0
    package var subject = ""
}

/// The checks of all rounds of a run, each once.
struct CheckResults {
    /// How to see a failure again, as its evidence begins.
    let replay: String
    private(set) var entries: [CheckOutcome] = []

    /// Whether a check has failed.
    var hasFailed: Bool { entries.contains { $0.verdict == .failed } }

    /// Notes what a check found in a round.
    ///
    /// - Parameters:
    ///   - name: what is checked, as a statement that holds.
    ///   - looked: at how many of the subject it looked.
    ///   - failure: what was found; `nil` where it holds.
    ///   - evidence: what shows the failure, if there is one.
    mutating func add(
        _ name: String, looked: Int, _ subject: String, failure: String? = nil, evidence: [String] = []
    ) {
        add(
            CheckOutcome(
                name: name, verdict: failure == nil ? .passed : .failed, detail: failure ?? "",
                evidence: failure == nil ? [] : [replay] + evidence, looked: looked, subject: subject))
    }

    /// Notes an outcome: the first failure stays, and what could not be decided gives way to nothing else.
    mutating func add(_ outcome: CheckOutcome) {
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
