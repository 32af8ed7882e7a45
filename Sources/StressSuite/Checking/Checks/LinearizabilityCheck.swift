/// Checks that the calls on one item can have taken effect one after another, each between its start and its end.
///
/// The check is exact, whatever the number of calls. Its time grows with the number of calls and with the number of
/// calls in flight at the same time. Besides the history, it needs about 100 bytes for each written value.
package struct LinearizabilityCheck: HistoryCheck {
    static let statement = "the history of each item is linearizable"
    static let subject = "calls"

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding {
        Finding(looked: history.calls, verdict: verdict(on: history))
    }

    package static func verdict(on history: ItemHistory) -> Finding.Verdict {
        do throws(HistorySearch.Failure) {
            try HistorySearch.run(history.operations)
            return .holds
        } catch {
            switch error {
            case .undecided(let reason): return .undecided(reason)
            case .impossible(let indices):
                let calls = indices.sorted().map { history.operations[$0] }
                return .violation(Violation(reason: reason(for: calls), calls: calls))
            }
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
