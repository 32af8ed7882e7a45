/// There is an order of the calls that explains all of them.
struct LinearizabilityCheck: HistoryCheck {
    static let statement = "the history of each item is linearizable"
    static let subject = "calls"

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding {
        let verdict: Finding.Verdict =
            switch LinearizabilityChecker.check(history) {
            case .linearizable: .holds
            case .violation(let violation): .violation(violation)
            case .undecided(let reason): .undecided(reason)
            }
        return Finding(looked: history.calls, verdict: verdict)
    }
}
