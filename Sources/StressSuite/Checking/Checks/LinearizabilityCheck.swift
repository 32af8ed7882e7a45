/// There is an order of the calls that explains all of them.
struct LinearizabilityCheck: HistoryCheck {
    static let statement = "the history of each item is linearizable"
    static let subject = "calls"

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding {
        let looked = history.operations.count
        switch LinearizabilityChecker.check(history) {
        case .linearizable: return Finding(looked: looked, verdict: .holds)
        case .violation(let violation): return Finding(looked: looked, verdict: .violation(violation))
        case .undecided(let reason): return Finding(looked: looked, verdict: .undecided(reason))
        }
    }
}
