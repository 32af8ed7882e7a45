/// A measured value, its limit and the verdict.
struct Row: Codable {
    enum Verdict: String, Codable {
        case reached, missed = "MISSED", information = "", notMeasured = "not measured"
    }

    let what: String
    let limit: String
    let measured: String
    let verdict: Verdict

    init(_ what: String, limit: String, measured: String, _ verdict: Verdict) {
        (self.what, self.limit, self.measured, self.verdict) = (what, limit, measured, verdict)
    }

    init(_ what: String, limit: String, measured: String, isReached: Bool) {
        self.init(what, limit: limit, measured: measured, isReached ? .reached : .missed)
    }

    static func notMeasured(_ what: String, limit: String, because reason: String) -> Row {
        Row(what, limit: limit, measured: reason, .notMeasured)
    }
}
