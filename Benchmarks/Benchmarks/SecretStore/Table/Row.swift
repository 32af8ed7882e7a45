/// A line of the table.
struct Row {
    enum Verdict: String {
        case reached, missed = "MISSED", information = "", notMeasured = "not measured"
    }

    let what: String
    let limit: String
    let measured: String
    let verdict: Verdict

    init(_ what: String, limit: String, measured: String, _ verdict: Verdict) {
        self.what = what
        self.limit = limit
        self.measured = measured
        self.verdict = verdict
    }

    init(_ what: String, limit: String, measured: String, isReached: Bool) {
        self.init(what, limit: limit, measured: measured, isReached ? .reached : .missed)
    }

    /// A ratio that must not be more than the limit, where there is one.
    init(_ what: String, _ result: OrdoOne.Result, atMost limit: Double?, of reference: String = "x C") {
        self.init(
            what, limit: limit.map { "<= \($0.fixed(2)) \(reference)" } ?? "", measured: result.description,
            limit.map { result.ratio.median <= $0 ? .reached : .missed } ?? .information
        )
    }

    static func notMeasured(_ what: String, limit: String, because reason: String) -> Row {
        Row(what, limit: limit, measured: reason, .notMeasured)
    }
}

extension Double {
    func fixed(_ digits: Int) -> String { formatted(.number.precision(.fractionLength(digits)).grouping(.never)) }
}
