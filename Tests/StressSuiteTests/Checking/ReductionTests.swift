import Testing

@testable import StressSuite

@Suite("Smallest histories")
struct ReductionTests {
    @Test("of a long history, only the calls that contradict each other are shown")
    func long() throws {
        let calls = background(4_000) + [call(1, .set(a1), 50_000...50_001), call(2, .read(nil), 50_050...50_051)]
        let violation = try violation(in: calls)
        #expect(violation.smallest == [calls[calls.count - 2], calls[calls.count - 1]])
        #expect(
            violation.reason == "no order of these 2 calls explains worker 2's 'get found nothing'"
        )
        #expect(
            violation.lines == [
                "worker 1  set 1.1            0.000 .. 0.001 us  |--|",
                "worker 2  get found nothing  0.050 .. 0.051 us        |--|",
            ]
        )
    }

    @Test("a value that comes back after many others is shown with its write and one of the others")
    func comeback() throws {
        let calls = [call(1, .set(a1), 0...1)] + background(4_000) + [call(2, .read(a1), 90_000...90_001)]
        let violation = try violation(in: calls)
        #expect(violation.smallest.count == 3)
        #expect(violation.smallest.first == calls.first)
        #expect(violation.smallest.last == calls.last)
    }

    @Test("an update deep in a chain is shown without most of the updates before it")
    func chain() throws {
        var calls = [call(0, .set(Stamp(writer: 0, number: 1)), 0...1)]
        for number in 1..<UInt32(2_000) {
            let time = UInt64(number) * 10
            let old = Stamp(writer: 0, number: number)
            calls.append(call(0, .update(old, Stamp(writer: 0, number: number + 1)), time...time + 5))
        }
        calls.append(call(1, .update(Stamp(writer: 0, number: 1_990), a1), 19_990...20_100))
        let violation = try violation(in: calls)
        #expect(violation.smallest.count <= 3)
        #expect(!BruteForce.isLinearizable(violation.smallest))
    }

    @Test("a call that explains the others is never left out")
    func explanation() {
        let calls = [call(1, .set(a1), 0...1), call(2, .read(nil), 6...7)]
        for explaining in [call(3, .wipe, 2...3), killed(3, .remove(found: nil), 2...5), killed(3, .wipe, 2...9)] {
            #expect(
                LinearizabilityChecker.check(ItemHistory(name: "item", operations: calls + [explaining]))
                    == .linearizable)
        }
    }

    @Test("a history in which two calls wrote the same stamp is undecided")
    func invalid() {
        let calls = [call(1, .set(a1), 0...1), call(2, .set(a1), 2...3)]
        #expect(
            LinearizabilityChecker.check(ItemHistory(name: "item", operations: calls))
                == .undecided("two calls wrote 1.1")
        )
    }

    @Test("a history with more concurrent calls than there are bits is undecided")
    func tooMany() {
        let calls = (0..<129).map { call($0, .set(Stamp(writer: $0, number: 1)), 0...1) }
        #expect(
            LinearizabilityChecker.check(ItemHistory(name: "item", operations: calls))
                == .undecided("more than 128 calls at the same time")
        )
        #expect(
            LinearizabilityChecker.check(ItemHistory(name: "item", operations: Array(calls.prefix(128))))
                == .linearizable
        )
    }

    @Test("a history with more possibilities at one time than the limit is undecided")
    func limit() {
        let calls =
            (0..<8).map { call($0, .add(Stamp(writer: $0, number: 1), timeout: 1), 0...9) }
            + (8..<16).map { call($0, .remove(found: true), 0...9) }
        guard case .undecided(let reason) = HistorySearch.run(calls, limit: 10) else {
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
        guard
            case .violation(let violation) = LinearizabilityChecker.check(ItemHistory(name: "item", operations: calls))
        else { throw NotFound() }
        return violation
    }

    private struct NotFound: Error {}
}
