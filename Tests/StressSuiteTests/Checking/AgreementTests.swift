import TestSupport
import Testing

@testable import StressSuite

@Suite("Histories generated from a seed")
struct AgreementTests {
    private static func seeds(_ count: UInt64) -> Range<UInt64> {
        HistoryMaker.firstSeed..<HistoryMaker.firstSeed + count
    }

    @Test("the checker agrees with a brute-force search, for correct histories and changed ones")
    func someAgree() { agree(on: Self.seeds(200), withMoreWrongThan: 100) }

    @Test("the checker agrees with a brute-force search on 10,000 histories", .tags(.long))
    func manyAgree() { agree(on: Self.seeds(2_000), withMoreWrongThan: 2_000) }

    private func agree(on seeds: Range<UInt64>, withMoreWrongThan least: Int) {
        var wrong = 0
        for seed in seeds {
            var maker = HistoryMaker(seed: seed)
            var calls = maker.right(maker.smallShape(calls: 2...7))
            #expect(isLinearizable(calls), "seed \(seed)")
            for _ in 0..<4 {
                calls = maker.mutate(calls)
                let isRight = BruteForce.isLinearizable(calls)
                #expect(isLinearizable(calls) == isRight, "seed \(seed): \(HistoryText(calls).lines)")
                if !isRight { wrong += 1 }
            }
        }
        #expect(wrong > least, "too few histories were wrong for a meaningful test")
    }

    @Test("most violations show calls that are wrong by themselves")
    func evidence() {
        let (all, proofs, shown) = evidence(for: Self.seeds(100))
        #expect(all > 5 && proofs * 2 > all && shown < all * 12)
    }

    @Test("four of five violations show calls that are wrong by themselves, and few others", .tags(.long))
    func evidenceOfMany() {
        let (all, proofs, shown) = evidence(for: Self.seeds(700))
        #expect(all > 100 && proofs * 5 > all * 4 && shown < all * 8)
    }

    /// Counts the violations, those that show calls that are wrong by themselves, and the calls that they show.
    private func evidence(for seeds: Range<UInt64>) -> (all: Int, proofs: Int, shown: Int) {
        var (all, proofs, shown) = (0, 0, 0)
        for seed in seeds {
            var maker = HistoryMaker(seed: seed)
            let calls = maker.mutate(maker.right(maker.smallShape(calls: 8...30)))
            guard case .violation(let violation) = verdict(of: calls) else { continue }
            all += 1
            shown += violation.calls.count
            if !isLinearizable(violation.calls) { proofs += 1 }
        }
        print("\(all) violations show \(shown) calls; \(proofs) show calls that are wrong by themselves")
        return (all, proofs, shown)
    }

    @Test("correct histories of many workers are accepted", arguments: [4, 16])
    func manyWorkers(workers: Int) { accept(Self.seeds(3), of: workers) }

    @Test("many correct histories of many workers are accepted", .tags(.long), arguments: [4, 16])
    func manyHistories(workers: Int) { accept(Self.seeds(20), of: workers) }

    private func accept(_ seeds: Range<UInt64>, of workers: Int) {
        for seed in seeds {
            var maker = HistoryMaker(seed: seed)
            var shape = maker.smallShape(calls: 300...600)
            shape.workers = workers
            shape.killed = min(shape.killed, 2)
            #expect(isLinearizable(maker.right(shape)), "seed \(seed)")
        }
    }

    @Test("no check rejects a history that is correct or could be")
    func otherChecks() { _ = violationsOfOtherChecks(in: Self.seeds(200)) }

    @Test("no check rejects one of many histories that is correct or could be, and each finds violations", .tags(.long))
    func otherChecksOfMany() {
        let violations = violationsOfOtherChecks(in: Self.seeds(2_000))
        #expect(violations.allSatisfy { $0 > 0 }, "\(violations): a check found nothing")
    }

    /// Compares the violations that the other checks find with the checker, and returns their number for each check.
    private func violationsOfOtherChecks(in seeds: Range<UInt64>) -> [Int] {
        let checks: [any HistoryCheck.Type] = [
            WrittenValuesCheck.self, ReaderOrderCheck.self, UpdateChainCheck.self, LifetimeCheck.self,
        ]
        var violations = [Int](repeating: 0, count: checks.count)
        for seed in seeds {
            var maker = HistoryMaker(seed: seed)
            var calls = maker.right(maker.smallShape(calls: 3...14))
            for _ in 0..<3 {
                let history = ItemHistory(name: "item", operations: calls)
                let findings = checks.map { $0.check(history, Writers(history)) }
                for (place, finding) in findings.enumerated() {
                    guard case .violation(let violation) = finding.verdict else { continue }
                    violations[place] += 1
                    #expect(!isLinearizable(calls), "seed \(seed): \(violation)")
                    #expect(!isLinearizable(violation.calls), "seed \(seed): \(violation)")
                }
                calls = maker.mutate(calls)
            }
        }
        return violations
    }

    private func isLinearizable(_ calls: [ItemOperation]) -> Bool { verdict(of: calls) == .holds }
}
