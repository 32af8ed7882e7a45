import Testing

@testable import StressSuite

@Suite("Histories generated from a seed")
struct AgreementTests {
    private let seeds = HistoryMaker.firstSeed..<HistoryMaker.firstSeed + 2_000

    @Test("the checker agrees with a brute-force search, for correct histories and changed ones")
    func agreement() {
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
        #expect(wrong > seeds.count, "too few histories were wrong for a meaningful test")
    }

    @Test("most violations show calls that are wrong by themselves")
    func evidence() {
        var (all, proofs, shown) = (0, 0, 0)
        for seed in seeds.prefix(700) {
            var maker = HistoryMaker(seed: seed)
            let calls = maker.mutate(maker.right(maker.smallShape(calls: 8...30)))
            guard case .violation(let violation) = verdict(of: calls) else { continue }
            all += 1
            shown += violation.calls.count
            if !isLinearizable(violation.calls) { proofs += 1 }
        }
        print("\(all) violations show \(shown) calls; \(proofs) show calls that are wrong by themselves")
        #expect(all > 100 && proofs * 5 > all * 4 && shown < all * 8)
    }

    @Test("correct histories of many workers are accepted", arguments: [4, 16])
    func manyWorkers(workers: Int) {
        for seed in seeds.prefix(20) {
            var maker = HistoryMaker(seed: seed)
            var shape = maker.smallShape(calls: 300...600)
            shape.workers = workers
            shape.killed = min(shape.killed, 2)
            #expect(isLinearizable(maker.right(shape)), "seed \(seed)")
        }
    }

    @Test("no check rejects a history that is correct or could be")
    func otherChecks() {
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
        #expect(violations.allSatisfy { $0 > 0 }, "\(violations): a check found nothing")
    }

    private func isLinearizable(_ calls: [ItemOperation]) -> Bool { verdict(of: calls) == .holds }
}
