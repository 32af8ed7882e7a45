import Testing

@testable import StressSuite

@Suite("Histories written by hand")
struct LinearizabilityTests {
    // Loops, because a test case takes longer than checking one history.
    @Test("a possible history is accepted")
    func accepts() {
        for history in Self.right.all + KilledHistories.right.all + ExpiringHistories.right.all {
            #expect(verdict(of: history.calls) == .holds, "\(history.name)")
            #expect(BruteForce.isLinearizable(history.calls), "\(history.name)")
        }
    }

    @Test("an impossible history is rejected, and some of its calls are shown")
    func refuses() {
        for history in Self.wrong.all + KilledHistories.wrong.all + ExpiringHistories.wrong.all {
            #expect(!BruteForce.isLinearizable(history.calls), "\(history.name)")
            guard case .violation(let violation) = verdict(of: history.calls) else {
                Issue.record("not found: \(history.name)")
                continue
            }
            let areCalls = !violation.calls.isEmpty && violation.calls.allSatisfy(history.calls.contains)
            #expect(areCalls, "\(history.name)")
            #expect(violation.lines.count == violation.calls.count, "\(history.name)")
        }
    }

    static let right: NamedHistories = [
        "no calls": [],
        "the item is absent at first": [call(1, .read(nil), 0...1), call(2, .look(isThere: false), 0...1)],
        "a set and a get after it": [call(1, .set(a1), 0...1), call(2, .read(a1), 2...3)],
        "a get that is concurrent with a set finds either value": [
            call(1, .set(a1), 0...1), call(1, .set(a2), 2...6), call(2, .read(a1), 3...4), call(3, .read(a2), 4...5),
        ],
        "a get finds a value before its set returned": [call(1, .set(a1), 0...9), call(2, .read(a1), 1...2)],
        "calls that touch in time are concurrent": [call(1, .set(a1), 0...1), call(2, .read(nil), 1...2)],
        "calls at the same instant may be in any order": [
            call(1, .read(a1), 5...5), call(2, .set(a1), 5...5), call(3, .read(nil), 5...5),
        ],
        "writes that nobody reads can be overwritten": [
            call(1, .set(a1), 0...9), call(2, .set(b1), 0...9), call(3, .set(c1), 1...2), call(3, .read(c1), 3...4),
        ],
        "a clear between two gets": [
            call(1, .set(a1), 0...1), call(2, .wipe, 2...6), call(3, .read(a1), 3...4), call(3, .read(nil), 4...5),
        ],
        "an add after a delete": [
            call(1, .add(a1), 0...1), call(2, .remove(found: true), 2...3), call(3, .add(c1), 4...5),
            call(1, .look(isThere: true), 6...7), call(2, .read(c1), 8...9),
        ],
        "two adds with a delete that is concurrent with both": [
            call(1, .add(a1), 0...3), call(2, .add(b1), 0...3), call(3, .remove(found: true), 0...3),
        ],
        "a chain of concurrent updates": [
            call(1, .update(nil, a1), 0...9), call(2, .update(a1, b1), 0...9), call(3, .update(b1, c1), 0...9),
            call(4, .read(c1), 10...11),
        ],
    ]

    static let wrong: NamedHistories = [
        "stale read": [call(1, .set(a1), 0...1), call(1, .set(a2), 2...3), call(2, .read(a1), 4...5)],
        "lost write": [call(1, .set(a1), 0...1), call(2, .read(nil), 2...3)],
        "lost write, seen by a list": [call(1, .set(a1), 0...1), call(2, .look(isThere: false), 2...3)],
        "value that nobody wrote": [call(1, .set(a1), 0...1), call(2, .read(c2), 0...3)],
        "value read before it was written": [call(2, .read(a1), 0...1), call(1, .set(a1), 2...3)],
        "item before any write": [call(1, .look(isThere: true), 0...1), call(2, .set(b1), 2...3)],
        "read of a deleted value": [
            call(1, .set(a1), 0...1), call(2, .remove(found: true), 2...3), call(3, .read(a1), 4...5),
        ],
        "value back after a clear": [
            call(1, .set(a1), 0...1), call(2, .wipe, 2...5), call(3, .read(nil), 3...4), call(3, .read(a1), 6...7),
        ],
        "double create": [call(1, .add(a1), 0...4), call(2, .add(b1), 0...4), call(3, .read(b1), 5...6)],
        "refused add without an item": [
            call(1, .set(a1), 0...1), call(2, .wipe, 2...3), call(3, .look(isThere: true), 4...5),
        ],
        "two deletes found one write": [
            call(1, .set(a1), 0...1), call(2, .remove(found: true), 2...4), call(3, .remove(found: true), 2...4),
        ],
        "delete missed the item": [call(1, .set(a1), 0...1), call(2, .remove(found: false), 2...3)],
        "lost update": [call(1, .set(a1), 0...1), call(2, .update(a1, b1), 2...5), call(3, .update(a1, c1), 2...5)],
        "update of an old value": [
            call(1, .set(a1), 0...1), call(1, .set(a2), 2...3), call(3, .update(a1, c1), 4...5),
        ],
        "two readers saw two writes in opposite orders": [
            call(1, .set(a1), 0...9), call(2, .set(b1), 0...9), call(3, .read(a1), 1...2), call(3, .read(b1), 3...4),
            call(4, .read(b1), 1...2), call(4, .read(a1), 3...4),
        ],
        "a reader going back": [
            call(1, .set(a1), 0...1), call(1, .set(a2), 2...9), call(2, .read(a2), 3...4), call(2, .read(a1), 5...6),
        ],
        "gone, although a later get finds it": [
            call(1, .set(a1), 0...1), call(2, .read(nil), 2...3), call(3, .wipe, 2...9), call(4, .read(a1), 4...5),
        ],
    ]
}
