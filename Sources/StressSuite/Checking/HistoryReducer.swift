/// Finds a small part of a history that proves by itself that the history is not linearizable.
///
/// Simply leaving out a call can make a correct history wrong: without the set, nobody could have read its value. So a
/// part counts as wrong only if it is wrong under two generous assumptions. First, each call outside the part that can
/// have changed the item is allowed to take effect at any moment between its own beginning and end, or not at all.
/// Second, if such calls came before the part, the item is allowed to start with any value. If the whole history were
/// correct, its order of calls would also explain each part under these assumptions. So a part that is wrong proves
/// that the whole history is wrong, and a reader needs only that part.
///
/// The reducer is free to leave out any call that only looks. It leaves out a write only together with all calls that
/// found its value. An update can instead forget which value it found, which makes it a set.
struct HistoryReducer {
    struct Result {
        let operations: [ItemOperation]
        /// Whether no further call can be left out.
        let isSmallest: Bool
    }

    /// A call that the part keeps.
    private struct Part {
        let index: Int
        let call: ItemOperation
    }

    private let operations: [ItemOperation]
    private let values: ValueTable
    private let longestCall: UInt64
    /// The earliest return of a call that can have changed the item.
    private let firstChange: UInt64
    private let deadline: ContinuousClock.Instant
    /// The most configurations that one search may hold.
    ///
    /// A part that needs more does not count as wrong.
    private static let limit = 20_000

    private init(_ operations: [ItemOperation], _ values: ValueTable, _ budget: Duration) {
        self.operations = operations
        self.values = values
        longestCall = operations.reduce(0) { max($0, $1.returned - $1.invoked) }
        firstChange = operations.reduce(.max) { $1.isObservation ? $0 : min($0, $1.returned) }
        deadline = .now + budget
    }

    /// Finds the smallest part of a history that still proves the failure.
    ///
    /// - Parameter budget: roughly how long the search may take; after that, the result is the smallest part found
    ///   so far.
    static func smallest(
        of operations: [ItemOperation], _ failure: HistorySearch.Failure, budget: Duration = .seconds(2)
    ) -> Result {
        guard let values = failure.values else {
            return Result(operations: failure.calls.sorted().map { operations[$0] }, isSmallest: true)
        }
        let reducer = HistoryReducer(operations, values, budget)
        let first = reducer.firstPart(failure)
        let (parts, isSmallest) = first.isWrong ? reducer.reduce(first.parts) : (first.parts, false)
        return Result(operations: parts.map(\.call), isSmallest: isSmallest)
    }

    private var isOutOfTime: Bool { ContinuousClock.now >= deadline }

    // MARK: - The first part

    /// The calls at which the search failed, plus as many earlier calls as needed to make the part wrong.
    ///
    /// If no such part is found in time, `isWrong` is false and the result is the first part that was tried.
    private func firstPart(_ failure: HistorySearch.Failure) -> (parts: [Part], isWrong: Bool) {
        var size = 0
        var smallest: [Part] = []
        while true {
            let parts = complete(failure.calls.union(calls(before: failure.time, count: size)))
            if smallest.isEmpty { smallest = parts }
            if isWrong(parts) { return (parts, true) }
            if parts.count == operations.count || isOutOfTime { return (smallest, false) }
            size = max(8, size * 4)
        }
    }

    /// The last `count` calls that began by `time`, and the last `count` of those that can have changed the item.
    private func calls(before time: UInt64, count: Int) -> Set<Int> {
        var calls: Set<Int> = []
        var changes = 0
        var index = firstIndex { $0.invoked > time }
        let end = index
        while index > 0, changes < count {
            index -= 1
            let isChange = !operations[index].isObservation
            if isChange { changes += 1 }
            if isChange || end - index <= count { calls.insert(index) }
        }
        return calls
    }

    /// Adds, for each written value, the first and the last call that found it, and for each found value, its write.
    private func complete(_ calls: Set<Int>) -> [Part] {
        var calls = calls
        for index in calls {
            guard let stamp = operations[index].written, let value = value(of: stamp) else { continue }
            calls.formUnion([value.deadlineCall, value.lastReader, value.replacer].compactMap(\.self))
        }
        let parts = calls.map { Part(index: $0, call: operations[$0]) }
        let writers = Set(parts.compactMap { part in part.call.found.flatMap { value(of: $0)?.writer } })
        let added = writers.subtracting(calls).map { Part(index: $0, call: operations[$0].asBlind) }
        return (parts + added).sorted { $0.index < $1.index }
    }

    private func value(of stamp: Stamp) -> ValueTable.Value? { values.identifier(of: stamp).map { values[$0] } }

    // MARK: - Smaller ones

    /// Leaves out halves of the part, then quarters, down to single calls, as long as the rest is still wrong.
    private func reduce(_ whole: [Part]) -> (parts: [Part], isSmallest: Bool) {
        var parts = whole
        var size = max(1, parts.count / 2)
        while true {
            var place = 0
            var hasShrunk = false
            while place < parts.count {
                if isOutOfTime { return (parts, false) }
                let rest = without(parts[place..<min(place + size, parts.count)], in: parts)
                if !rest.isEmpty, isWrong(rest) {
                    parts = rest
                    hasShrunk = true
                } else {
                    place += size
                }
            }
            if size == 1 && !hasShrunk { return (parts, true) }
            size = max(1, size / 2)
        }
    }

    /// The parts without the removed ones, and without the reads that found values which the removed ones wrote.
    ///
    /// An update that found such a value stays, but forgets what it found.
    private func without(_ removed: ArraySlice<Part>, in parts: [Part]) -> [Part] {
        let gone = Set(removed.map(\.index))
        let stamps = Set(removed.compactMap(\.call.written))
        return parts.compactMap { part in
            if gone.contains(part.index) { return nil }
            guard let found = part.call.found, stamps.contains(found) else { return part }
            return part.call.written == nil ? nil : Part(index: part.index, call: part.call.asBlind)
        }
    }

    // MARK: - The proof

    private func isWrong(_ parts: [Part]) -> Bool {
        let begin = parts.map(\.call.invoked).min() ?? 0
        let end = parts.map(\.call.returned).max() ?? 0
        var kept = parts[...]
        var calls: [ItemOperation] = []
        for index in firstIndex(where: { $0.invoked + longestCall >= begin })..<firstIndex(where: { $0.invoked > end })
        {
            let call = operations[index]
            if let part = kept.first, part.index == index {
                kept.removeFirst()
                calls.append(part.call)
            } else if !call.isObservation, call.returned >= begin {
                calls.append(call.asUncertain)
            }
        }
        let outcome = HistorySearch.run(calls, startsUnknown: firstChange < begin, limit: Self.limit)
        if case .failed = outcome { return true }
        return false
    }

    private func firstIndex(where isBeyond: (ItemOperation) -> Bool) -> Int {
        var low = 0
        var high = operations.count
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(operations[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
