@testable import StressSuite
import TestSupport
import Threads

/// Generates histories of an item from a seed.
struct HistoryMaker {
    /// The properties of a history.
    struct Shape {
        var calls = 6
        var workers = 3
        /// All times are multiples of this unit, in nanoseconds.
        var unit: UInt64 = 1
        /// The longest call and the longest pause, in units.
        var longest = 5
        /// The percentage of calls during which the worker is killed.
        var killed = 0
        /// The percentage of writes with a timeout of 1 or 2 seconds.
        var timed = 0
        /// The weights of the kinds of calls, in the order of ``Choice``.
        var weights = [4, 2, 4, 1, 2, 1, 2]
    }

    enum Choice: Int, CaseIterable {
        case read, look, write, create, remove, wipe, update
    }

    var dice: Choices
    private var numbers: [UInt32: UInt32] = [:]

    init(seed: UInt64) {
        dice = Choices(seed: seed)
    }

    /// The first seed of a test, which is printed when a history fails; `SKR_TEST_SEED` replays it.
    ///
    /// It leaves room for the seeds that follow it.
    static let firstSeed = testSeed & (UInt64.max >> 1)

    /// Returns a random shape of a small history.
    mutating func smallShape(calls: ClosedRange<Int>) -> Shape {
        var shape = Shape()
        shape.calls = Int.random(in: calls, using: &dice)
        shape.workers = Int.random(in: 2...6, using: &dice)
        shape.longest = Int.random(in: 2...10, using: &dice)
        shape.weights = Choice.allCases.map { _ in Int.random(in: 0...4, using: &dice) }
        shape.weights[0] += 1
        if Bool.random(using: &dice) { shape.killed = 25 }
        if Bool.random(using: &dice) {
            shape.timed = 60
            shape.unit = [50_000_000, 100_000_000, 250_000_000].randomElement(using: &dice) ?? 1
        }
        return shape
    }

    /// Returns a history of an item that is correct, and so linearizable.
    mutating func right(_ shape: Shape) -> [ItemOperation] {
        var slots: [(slot: Slot, point: UInt64)] = []
        for (index, count) in share(shape.calls, among: shape.workers) {
            var time = UInt64(Int.random(in: 0...shape.longest, using: &dice)) * shape.unit
            for _ in 0..<count {
                let length = UInt64(Int.random(in: 0...shape.longest, using: &dice)) * shape.unit
                let slot = Slot(worker: UInt32(index), begin: time, end: time + length)
                slots.append((slot, UInt64.random(in: slot.begin...slot.end, using: &dice)))
                time += length + UInt64(Int.random(in: 0...shape.longest, using: &dice)) * shape.unit
            }
        }
        slots.shuffle(using: &dice)
        slots.sort { $0.point < $1.point }
        var item = Item()
        return slots.map { call($0.slot, at: $0.point, on: &item, shape) }
    }

    /// Returns the same history with one change to what a call saw or did.
    mutating func mutate(_ calls: [ItemOperation]) -> [ItemOperation] {
        guard let index = calls.indices.randomElement(using: &dice) else { return calls }
        var result = calls
        let call = calls[index]
        let stamps: [Stamp?] = calls.map(\.written).filter { $0 != nil } + [nil]
        let other = stamps.randomElement(using: &dice) ?? nil
        let effect: ItemOperation.Effect =
            switch call.effect {
            case .read: .read(other)
            case .look(let isThere): .look(isThere: !isThere)
            case .write(let stamp, let timeout): .create(stamp, timeout: timeout)
            case .create(let stamp, let timeout): .replace(other, by: stamp, timeout: timeout)
            case .remove(let found): .remove(found: found == false)
            case .wipe: .remove(found: true)
            case .replace(_, let stamp, let timeout): .replace(other, by: stamp, timeout: timeout)
            case .change(let stamp, let timeout): .write(stamp, timeout: timeout)
            }
        result[index] = ItemOperation(
            worker: call.worker, effect: effect, invoked: call.invoked, returned: call.returned,
            isCertain: call.isCertain
        )
        return result
    }

    private struct Slot {
        let worker: UInt32
        let begin: UInt64
        let end: UInt64
    }

    private struct Item {
        var value: Stamp?
        var death = UInt64.max
    }

    private mutating func share(_ calls: Int, among workers: Int) -> [(Int, Int)] {
        var shares = [Int](repeating: 0, count: workers)
        for _ in 0..<calls { shares[Int.random(in: 0..<workers, using: &dice)] += 1 }
        return Array(shares.enumerated().map { ($0.offset, $0.element) })
    }

    private mutating func call(_ slot: Slot, at point: UInt64, on item: inout Item, _ shape: Shape) -> ItemOperation {
        if point >= item.death { item = Item() }
        let isKilled = Int.random(in: 0..<100, using: &dice) < shape.killed
        let before = item
        let effect = effect(choice(shape.weights), slot, at: point, on: &item, shape, isKilled)
        if isKilled && Bool.random(using: &dice) { item = before }
        return ItemOperation(
            worker: slot.worker, effect: effect, invoked: slot.begin, returned: slot.end, isCertain: !isKilled
        )
    }

    private mutating func effect(
        _ choice: Choice,
        _ slot: Slot,
        at point: UInt64,
        on item: inout Item,
        _ shape: Shape,
        _ isKilled: Bool
    ) -> ItemOperation.Effect {
        let old = item.value
        switch choice {
        case .read: return .read(old)
        case .look: return .look(isThere: old != nil)
        case .remove:
            item = Item()
            return .remove(found: isKilled ? nil : old != nil)
        case .wipe:
            item = Item()
            return .wipe
        case .write, .create, .update:
            if choice == .create && old != nil && !isKilled { return .look(isThere: true) }
            let (new, timeout) = value(slot, at: point, shape)
            if choice != .create || old == nil { item = new }
            guard let stamp = new.value else { return .wipe }
            if choice == .create { return .create(stamp, timeout: timeout) }
            if choice == .write { return .write(stamp, timeout: timeout) }
            return isKilled ? .change(to: stamp, timeout: timeout) : .replace(old, by: stamp, timeout: timeout)
        }
    }

    private mutating func value(_ slot: Slot, at point: UInt64, _ shape: Shape) -> (Item, UInt32?) {
        numbers[slot.worker, default: 0] += 1
        let stamp = Stamp(writer: slot.worker, number: numbers[slot.worker] ?? 1)
        guard Int.random(in: 0..<100, using: &dice) < shape.timed else { return (Item(value: stamp), nil) }
        let timeout = UInt32.random(in: 1...2, using: &dice)
        let set = UInt64.random(in: slot.begin...point, using: &dice)
        let whole = set + UInt64(timeout) * 1_000_000_000
        let death = UInt64.random(in: whole - 999_999_999...whole, using: &dice)
        // A value that expires before it is published is never seen.
        return death <= point
            ? (Item(value: stamp, death: point), timeout) : (Item(value: stamp, death: death), timeout)
    }

    private mutating func choice(_ weights: [Int]) -> Choice {
        var ball = Int.random(in: 0..<weights.reduce(0, +), using: &dice)
        for (choice, weight) in zip(Choice.allCases, weights) {
            if ball < weight { return choice }
            ball -= weight
        }
        return .read
    }
}
