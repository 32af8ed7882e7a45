/// Checks that the calls on one item can have taken effect one after another, each between its start and its end.
package struct LinearizabilityChecker {
    package enum Verdict: Sendable, Equatable {
        case linearizable
        case violation(Violation)
        /// The checker could not decide, for this reason. Never treat this as a pass.
        case undecided(String)
    }

    /// Checks one history exactly, whatever the number of calls.
    ///
    /// The time grows with the number of calls and with the number of calls in flight at the same time. Besides the
    /// history, the check needs about 100 bytes for each written value.
    package static func check(_ history: ItemHistory) -> Verdict {
        switch HistorySearch.run(history.operations) {
        case .found: return .linearizable
        case .undecided(let reason): return .undecided(reason)
        case .failed(let failure):
            let calls = failure.calls.sorted().map { history.operations[$0] }
            return .violation(Violation(reason: reason(for: calls), calls: calls))
        }
    }

    private static func reason(for calls: [ItemOperation]) -> String {
        let unexplained = calls.filter(\.isConditional).max { $0.invoked < $1.invoked } ?? calls.last
        guard let unexplained else { return "no order of the calls explains their results" }
        return "no order of the calls explains worker \(unexplained.worker)'s '\(unexplained.summary)'"
    }
}

extension ItemOperation {
    /// Whether the call could take effect only in certain states of the item.
    fileprivate var isConditional: Bool {
        guard isCertain else { return false }
        switch effect {
        case .read, .look, .create, .replace: return true
        case .remove(let found): return found != nil
        case .write, .wipe, .change: return false
        }
    }
}

/// Checks that some order of the calls explains all of their outcomes.
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
