import Testing

@testable import StressSuite

@Suite("Evidence of the search, and its limits")
struct EvidenceTests {
    @Test("of a long history, the calls that contradict each other and the latest changes before them are shown")
    func long() throws {
        let calls = background(1_000) + [call(1, .set(a1), 50_000...50_001), call(2, .read(nil), 50_050...50_051)]
        let violation = try violation(in: calls)
        #expect(violation.reason == "no order of the calls explains worker 2's 'get found nothing'")
        #expect(violation.calls.count == 9 && Array(violation.calls.suffix(2)) == Array(calls.suffix(2)))
        #expect(violation.lines.count == 9 && violation.lines.last?.hasPrefix("worker 2  get found nothing ") == true)
    }

    @Test("a value that comes back after many others is shown with its write, and the write and the read of another")
    func comeback() throws {
        let calls = [call(1, .set(a1), 0...1)] + background(1_000) + [call(2, .read(a1), 90_000...90_001)]
        #expect(try violation(in: calls).calls == Array(calls[0...2]) + [calls[1_001]])
    }

    @Test("a value that comes back before its write returns is shown with the call that found it first")
    func twice() throws {
        let calls = [
            call(1, .set(a1), 0...100), call(2, .read(a1), 10...11), call(2, .wipe, 20...21),
            call(3, .look(isThere: true), 110...111),
        ]
        #expect(try violation(in: calls).calls == calls)
    }

    @Test("a history with more concurrent calls than there are bits is undecided")
    func tooMany() {
        let calls = (0..<129).map { call($0, .set(Stamp(writer: $0, number: 1)), 0...1) }
        #expect(verdict(of: calls) == .undecided("more than 128 calls at the same time"))
        #expect(verdict(of: Array(calls.prefix(128))) == .holds)
    }

    @Test("a history with more possibilities at one time than the limit is undecided")
    func limit() {
        let calls =
            (0..<8).map { call($0, .add(Stamp(writer: $0, number: 1), timeout: 1), 0...9) }
            + (8..<16).map { call($0, .remove(found: true), 0...9) }
        let failure = #expect(throws: HistorySearch.Failure.self) { try HistorySearch.run(calls, limit: 10) }
        guard case .undecided(let reason) = failure else {
            Issue.record("decided")
            return
        }
        #expect(reason == "more than 10 possible states at the same time")
    }

    /// Returns correct sets, gets and deletes of worker 3, one after the other.
    private func background(_ count: Int) -> [ItemOperation] {
        (0..<UInt32(count)).map { number in
            let time = 10 + UInt64(number) * 10
            let stamp = Stamp(writer: 3, number: number / 4 + 1)
            let effects: [ItemOperation.Effect] = [.set(stamp), .read(stamp), .remove(found: true), .read(nil)]
            return call(3, effects[Int(number % 4)], time...time + 5)
        }
    }

    private func violation(in calls: [ItemOperation]) throws -> Violation {
        guard case .violation(let violation) = verdict(of: calls) else { throw NotFound() }
        return violation
    }

    private struct NotFound: Error {}
}
