extension StressResult {
    package var failedChecks: [CheckOutcome] { checks.filter { $0.verdict == .failed } }

    /// Calls that threw.
    package var totalErrors: Int {
        operations.reduce(0) { $0 + $1.errors.values.reduce(0, +) }
    }

    /// Calls a second of all workers together, over the whole run.
    package var meanRate: Double { rate(of: totalOperations) }

    package func rate(of count: Int) -> Double {
        seconds > 0 ? Double(count) / seconds : 0
    }

    /// What became of the checks, in a sentence without a full stop.
    package var verdict: String {
        let passed = checks.count { $0.verdict == .passed }
        let skipped = checks.count { $0.verdict == .skipped }
        let others = skipped == 0 ? "" : ", \(skipped) skipped"
        let failed = failedChecks.count
        if failed > 0 { return "\(failed) of \(checks.count) checks failed\(others)" }
        if passed == 0 { return "Nothing was checked\(others)" }
        if skipped > 0 { return "\(passed) checks passed\(others)" }
        return passed == 1 ? "The check passed" : "All \(passed) checks passed"
    }
}

extension OperationFigures {
    package var errorCount: Int { errors.values.reduce(0, +) }
}
