import CommandSupport
import StressSuite

/// The result for people: calls, checks and failures.
struct ResultText {
    private static let evidenceLines = 40

    let result: StressResult
    let style: TextStyle
    /// The width of the terminal in columns; `nil` without a terminal.
    let width: Int?

    var text: String {
        [calls, errors, checks, evidence, ending].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var calls: String {
        guard !result.operations.isEmpty else { return "" }
        var table = TextTable(columns: [
            .init("CALL", isNumber: false, rank: 9), .init("COUNT", rank: 8), .init("PER SECOND", rank: 4),
            .init("ERRORS", rank: 7), .init("P50", rank: 6), .init("P90", rank: 2), .init("P99", rank: 5),
            .init("P99.9", rank: 1), .init("MAX", rank: 3),
        ])
        for figures in result.operations {
            let latency = figures.latency
            let times = [latency.p50, latency.p90, latency.p99, latency.p999, latency.most]
            table.rows.append(
                [
                    figures.kind.rawValue, Figures.count(latency.count),
                    Figures.rate(result.rate(of: latency.count)), Figures.count(figures.errorCount),
                ] + times.map { Figures.time($0) })
        }
        return table.text(width: width)
    }

    private var errors: String {
        result.operations.flatMap { figures in
            figures.sortedErrors.map { message, count in
                "\(figures.kind.rawValue): \(Figures.count(count)) times \(message)\n"
            }
        }.joined()
    }

    private var checks: String {
        let width = result.checks.map(\.name.count).max() ?? 0
        return result.checks.map { check in
            let word = check.verdict.word
            let verdict = style.paint(word, check.verdict.colour) + String(repeating: " ", count: 7 - word.count)
            let padding = String(repeating: " ", count: width - check.name.count)
            return "\(verdict)  \(check.name)\(check.detail.isEmpty ? "" : padding + "  " + check.detail)\n"
        }.joined()
    }

    private var evidence: String {
        result.failedChecks.filter { !$0.evidence.isEmpty }.map { check in
            var lines = check.evidence.prefix(Self.evidenceLines).map { "  \($0)\n" }
            let rest = check.evidence.count - lines.count
            if rest > 0 { lines.append("  and \(Figures.count(rest)) more lines, which --json and --report contain\n") }
            return "\(check.verdict.word): \(check.name)\n" + lines.joined()
        }.joined(separator: "\n")
    }

    private var ending: String {
        var text = result.callsText
        if result.kills > 0 { text += ", \(Figures.plural(result.kills, "process", "es")) killed" }
        if result.isInterrupted { text += ", ended early" }
        return text + ", seed \(result.plan.seed)\n"
    }
}

extension CheckOutcome.Verdict {
    fileprivate var word: String { self == .failed ? "FAILED" : rawValue }

    fileprivate var colour: TextStyle.Colour {
        switch self {
        case .passed: .green
        case .failed: .red
        case .skipped: .yellow
        }
    }
}
