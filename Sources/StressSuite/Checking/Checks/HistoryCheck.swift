import Keyutils

/// A statement that must hold for every history.
protocol HistoryCheck: SendableMetatype {
    /// The statement, as it is printed.
    static var statement: String { get }
    /// The subjects that the check examines, in the plural.
    static var subject: String { get }

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding
}

/// The result of checking one history.
package struct Finding {
    package enum Verdict: Sendable, Equatable {
        case holds
        case violation(Violation)
        /// The check could not decide, for this reason. Never treat this as a pass.
        case undecided(String)
    }

    /// How many subjects the check examined.
    var looked: Int
    var verdict = Verdict.holds

    static func violation(_ reason: String, by calls: [ItemOperation], looked: Int) -> Finding {
        Finding(looked: looked, verdict: .violation(Violation(reason: reason, calls: calls)))
    }
}

/// The call that wrote each value of a history.
struct Writers {
    private let operations: [ItemOperation]
    private var indices: [Stamp: Int] = [:]

    init(_ history: ItemHistory) {
        operations = history.operations
        for (index, call) in history.operations.enumerated() {
            if let stamp = call.written { indices[stamp] = index }
        }
    }

    subscript(stamp: Stamp) -> ItemOperation? { indices[stamp].map { operations[$0] } }
}
