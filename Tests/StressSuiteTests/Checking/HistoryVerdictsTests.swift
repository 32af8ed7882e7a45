import Testing

@testable import StressSuite

@Suite("Verdicts over all items")
struct HistoryVerdictsTests {
    private let right = ItemHistory(
        name: "alpha",
        operations: [call(1, .set(a1), 0...1), call(2, .update(a1, b1, timeout: 9), 2...3), call(3, .read(b1), 4...5)]
    )

    @Test("every check passes on a correct history, and reports what it examined")
    func passed() {
        let outcomes = HistoryVerdicts.outcomes(for: [right, ItemHistory(name: "beta", operations: [])], seed: 7)
        #expect(outcomes.map(\.verdict) == [.passed, .passed, .passed, .passed, .passed])
        #expect(outcomes.last?.name == "the history of each item is linearizable")
        #expect(
            outcomes.map { "\($0.looked) \($0.subject)" } == [
                "2 values found", "1 reads", "1 updates", "1 found values with a timeout", "3 calls",
            ]
        )
        #expect(outcomes.allSatisfy { $0.evidence.isEmpty })
    }

    @Test("a failure names the item, the seed and the calls, once per check")
    func failed() throws {
        let wrong = ["beta", "gamma"].map { name in
            ItemHistory(name: name, operations: [call(1, .set(a1), 0...1), call(2, .read(nil), 2...3)])
        }
        let outcomes = HistoryVerdicts.outcomes(for: [right] + wrong, seed: 7)
        let failed = outcomes.filter { $0.verdict == .failed }
        #expect(failed.map(\.name) == ["the history of each item is linearizable"])
        #expect(
            try #require(failed.first).evidence == [
                "item beta, seed 7: no order of the calls explains worker 2's 'get found nothing';"
                    + " to repeat it, use the same options and --seed 7",
                "worker 1  set 1.1            0.000 .. 0.001 us  |--|",
                "worker 2  get found nothing  0.002 .. 0.003 us        |--|",
            ]
        )
    }

    @Test("a history that could not be decided has not passed")
    func undecided() {
        let history = ItemHistory(name: "delta", operations: [call(1, .set(a1), 0...1), call(2, .set(a1), 2...3)])
        let last = HistoryVerdicts.outcomes(for: [right, history], seed: 7).last
        #expect(last?.verdict == .skipped)
        #expect(last?.detail == "undecided for item delta: two calls wrote 1.1")
    }

    @Test("a check with nothing to examine has not passed")
    func nothing() {
        let outcomes = HistoryVerdicts.outcomes(for: [], seed: 7)
        #expect(outcomes.map(\.verdict) == [.skipped, .skipped, .skipped, .skipped, .skipped])
        #expect(outcomes.first?.subject == "values found" && outcomes.first?.looked == 0)
    }

    @Test(
        "a check that had nothing to examine in the first round has the verdict of a later one",
        arguments: [false, true])
    func laterRound(fails: Bool) {
        var results = CheckResults(replay: "")
        results.add(CheckOutcome(name: "a", verdict: .skipped, detail: "", subject: "calls"))
        #expect(results.outcomes.isEmpty)
        results.add("a", looked: 3, "calls", failure: fails ? "found" : nil)
        #expect(results.outcomes.map(\.verdict) == [fails ? .failed : .passed])
        #expect(results.outcomes.first?.detail == (fails ? "found" : "3 calls"))
    }
}
