/// The checks of all rounds of a run, each once.
struct CheckBook {
    private struct Entry {
        let name: String
        let unit: String
        var looked = 0
        var failure: CheckOutcome?
    }

    private var entries: [Entry] = []

    /// Whether a check has failed.
    var hasFailed: Bool { entries.contains { $0.failure?.verdict == .failed } }

    /// Notes what a check found in a round.
    ///
    /// - Parameters:
    ///   - name: what is checked, as a statement that holds.
    ///   - looked: at how many `unit` it looked.
    ///   - failure: what was found; `nil` where it holds.
    ///   - evidence: what shows it.
    mutating func note(_ name: String, looked: Int, _ unit: String, failure: String? = nil, evidence: [String] = []) {
        let found = failure.map { CheckOutcome(name: name, verdict: .failed, detail: $0, evidence: evidence) }
        note(name, looked: looked, unit, outcome: found)
    }

    /// Notes an outcome; of one that has passed only how much was looked at.
    mutating func note(_ outcome: CheckOutcome, looked: Int, _ unit: String) {
        note(outcome.name, looked: looked, unit, outcome: outcome.verdict == .passed ? nil : outcome)
    }

    /// The first failure stays, and what could not be checked gives way to a failure.
    private mutating func note(_ name: String, looked: Int, _ unit: String, outcome: CheckOutcome?) {
        let index =
            entries.firstIndex { $0.name == name }
            ?? {
                entries.append(Entry(name: name, unit: unit))
                return entries.count - 1
            }()
        entries[index].looked += looked
        guard let outcome else { return }
        let present = entries[index].failure
        if present == nil || present?.verdict == .skipped && outcome.verdict == .failed {
            entries[index].failure = outcome
        }
    }

    var outcomes: [CheckOutcome] {
        entries.map { entry in
            entry.failure
                ?? CheckOutcome(name: entry.name, verdict: .passed, detail: "\(entry.looked) \(entry.unit)")
        }
    }
}
