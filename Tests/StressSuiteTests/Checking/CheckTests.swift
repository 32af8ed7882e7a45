import Testing

@testable import StressSuite

@Suite("Checks that name a failure")
struct CheckTests {
    @Test("a found value that nobody wrote, or that was written later, is reported")
    func written() {
        #expect(verdict(WrittenValuesCheck.self, [killed(1, .set(a1), 0...5), call(2, .read(a1), 1...2)]) == .holds)
        #expect(
            reason(WrittenValuesCheck.self, [call(2, .read(a1), 0...1)]) == "worker 2 found 1.1, which nobody wrote")
        #expect(
            reason(WrittenValuesCheck.self, [call(2, .update(a1, b1), 0...1), call(1, .set(a1), 2...3)])
                == "worker 2 found 1.1 before its write began"
        )
    }

    @Test("a reader that returns to a value after it saw another one is reported")
    func goneAndBack() {
        let sets = [call(1, .set(a1), 0...20), call(2, .set(b1), 0...20)]
        let reads = [call(3, .read(a1), 1...2), call(3, .read(b1), 3...4)]
        #expect(verdict(ReaderOrderCheck.self, sets + reads) == .holds)
        #expect(
            reason(ReaderOrderCheck.self, sets + reads + [call(3, .read(a1), 5...6)]) == "worker 3 went back to 1.1")
        #expect(verdict(ReaderOrderCheck.self, sets + reads + [call(4, .read(a1), 5...6)]) == .holds)
        let empty = [call(3, .read(a1), 1...2), call(3, .read(nil), 3...4), call(3, .read(a1), 5...6)]
        #expect(reason(ReaderOrderCheck.self, sets + empty) == "worker 3 went back to 1.1")
    }

    @Test("a reader that returns to an older value is reported")
    func older() {
        let sets = [call(1, .set(a1), 0...1), call(1, .set(a2), 2...9)]
        let back = [call(3, .read(a2), 3...4), call(3, .read(a1), 5...6)]
        #expect(reason(ReaderOrderCheck.self, sets + back) == "worker 3 went back to 1.1")
        let touching = [call(3, .read(a2), 3...5), call(3, .read(a1), 5...6)]
        #expect(verdict(ReaderOrderCheck.self, sets + touching) == .holds)
        let concurrent =
            [call(1, .set(a1), 0...3), call(2, .set(b1), 2...9)] + [
                call(3, .read(b1), 3...4), call(3, .read(a1), 5...6),
            ]
        #expect(verdict(ReaderOrderCheck.self, concurrent) == .holds)
    }

    @Test("two updates of one value are reported")
    func lostUpdate() {
        let calls = [call(1, .set(a1), 0...1), call(2, .update(a1, b1), 2...3), call(3, .update(b1, c1), 4...5)]
        #expect(verdict(UpdateChainCheck.self, calls) == .holds)
        #expect(
            reason(UpdateChainCheck.self, calls + [call(3, .update(a1, c2), 2...9)])
                == "workers 2 and 3 both updated 1.1: one of the updates is lost"
        )
        let unknown = calls + [killed(4, .change(to: c2, timeout: nil), 2...9)]
        #expect(verdict(UpdateChainCheck.self, unknown) == .holds)
    }

    @Test("two updates that found nothing are reported, unless something removes the item")
    func twoBeginnings() {
        let calls = [call(1, .update(nil, a1), 0...5), call(2, .update(nil, b1), 0...5)]
        #expect(
            reason(UpdateChainCheck.self, calls) == "workers 1 and 2 both found no item and wrote one"
        )
        #expect(verdict(UpdateChainCheck.self, calls + [killed(3, .wipe, 0...5)]) == .holds)
        let dying = [call(1, .update(nil, a1, timeout: 1), 0...5), call(2, .update(nil, b1), 0...5)]
        #expect(verdict(UpdateChainCheck.self, dying) == .holds)
    }

    @Test("updates in a circle are reported")
    func circle() {
        let calls = [call(1, .update(b1, a1), 0...5), call(2, .update(a1, b1), 0...5)]
        #expect(
            reason(UpdateChainCheck.self, calls) == "2 updates replaced each other's values in a circle"
        )
    }

    @Test("a value that outlives its timeout is reported")
    func outlived() {
        let set = call(1, .set(a1, timeout: 2), ms(0...1))
        #expect(verdict(LifetimeCheck.self, [set, call(2, .read(a1), ms(2_051...3_000))]) == .holds)
        #expect(
            reason(LifetimeCheck.self, [set, call(2, .read(a1), ms(2_052...3_000))])
                == "worker 2 found 1.1 1000 us after it expired"
        )
    }

    private func verdict(_ check: any HistoryCheck.Type, _ calls: [ItemOperation]) -> Finding.Verdict {
        let history = ItemHistory(name: "item", operations: calls)
        return check.check(history, Writers(history)).verdict
    }

    private func reason(_ check: any HistoryCheck.Type, _ calls: [ItemOperation]) -> String? {
        guard case .violation(let violation) = verdict(check, calls) else { return nil }
        #expect(!BruteForce.isLinearizable(violation.calls))
        return violation.reason
    }
}
