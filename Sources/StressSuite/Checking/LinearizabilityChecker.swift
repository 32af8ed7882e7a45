/// Whether the calls on one item can have taken effect one after the other, each between its beginning and its end.
package struct LinearizabilityChecker {
    package enum Verdict: Sendable, Equatable {
        case linearizable
        case violation(Violation)
        /// It could not be found out. Never to be taken for a pass.
        case undecided(String)
    }
    package static func check(_ history: ItemHistory) -> Verdict {
        switch HistorySearch.run(history.operations) {
        case .found: .linearizable
        case .undecided(let reason): .undecided(reason)
        case .failed: .violation(Violation(reason: "", smallest: []))
        }
    }
}
package struct Violation: Sendable, Equatable {
    package let reason: String
    package let smallest: [ItemOperation]
}
