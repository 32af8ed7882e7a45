import Testing

@testable import StressSuite

/// Creates a call of a history that is written by hand, with times in nanoseconds, or in milliseconds with `ms`.
func call(
    _ worker: UInt32,
    _ effect: ItemOperation.Effect,
    _ time: ClosedRange<UInt64>,
    isCertain: Bool = true
) -> ItemOperation {
    ItemOperation(
        worker: worker, effect: effect, invoked: time.lowerBound, returned: time.upperBound, isCertain: isCertain
    )
}

/// Creates a call of a worker that was killed during it, and was certainly dead at the end of this time.
func killed(_ worker: UInt32, _ effect: ItemOperation.Effect, _ time: ClosedRange<UInt64>) -> ItemOperation {
    call(worker, effect, time, isCertain: false)
}

func ms(_ time: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    time.lowerBound * 1_000_000...time.upperBound * 1_000_000
}

/// Returns the checker's verdict on the calls on an item.
func verdict(of calls: [ItemOperation]) -> Finding.Verdict {
    LinearizabilityCheck.verdict(on: ItemHistory(name: "item", operations: calls))
}

/// A history with a name.
struct NamedHistory: Sendable {
    let name: String
    let calls: [ItemOperation]
}

/// Histories, written as a dictionary of their names and calls.
struct NamedHistories: ExpressibleByDictionaryLiteral, Sendable {
    let all: [NamedHistory]

    init(dictionaryLiteral elements: (String, [ItemOperation])...) {
        all = elements.map { NamedHistory(name: $0, calls: $1) }
    }
}

extension ItemOperation.Effect {
    static func set(_ stamp: Stamp, timeout: UInt32? = nil) -> Self { .write(stamp, timeout: timeout) }
    static func add(_ stamp: Stamp, timeout: UInt32? = nil) -> Self { .create(stamp, timeout: timeout) }
    static func update(_ old: Stamp?, _ new: Stamp, timeout: UInt32? = nil) -> Self {
        .replace(old, by: new, timeout: timeout)
    }
}

/// Values of three writers.
let a1 = Stamp(writer: 1, number: 1)
let a2 = Stamp(writer: 1, number: 2)
let a3 = Stamp(writer: 1, number: 3)
let b1 = Stamp(writer: 2, number: 1)
let b2 = Stamp(writer: 2, number: 2)
let c1 = Stamp(writer: 3, number: 1)
let c2 = Stamp(writer: 3, number: 2)
