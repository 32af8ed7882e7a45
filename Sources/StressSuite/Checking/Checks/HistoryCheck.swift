/// One thing that must hold for every history.
protocol HistoryCheck: SendableMetatype {
    /// What is checked, as a statement that holds.
    static var statement: String { get }
    /// What it looks at, in the plural.
    static var subject: String { get }

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding
}

/// What a check of one history came to.
struct Finding {
    enum Verdict: Equatable {
        case holds
        case violation(Violation)
        case undecided(String)
    }

    /// How many of its subject it looked at.
    var looked: Int
    var verdict = Verdict.holds

    static func violation(_ reason: String, by calls: [ItemOperation], looked: Int) -> Finding {
        Finding(looked: looked, verdict: .violation(Violation(reason: reason, smallest: calls)))
    }
}

/// Which call wrote each value of a history.
struct Writers {
    private var indices: [Stamp: Int] = [:]

    init(_ history: ItemHistory) {
        for (index, call) in history.operations.enumerated() {
            if let stamp = call.written { indices[stamp] = index }
        }
    }

    subscript(stamp: Stamp) -> Int? { indices[stamp] }
}
