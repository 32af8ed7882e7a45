/// Finds a small part of a history that shows by itself that the history is not linearizable.
///
/// Leaving out a call can make a right history wrong: without the set, no one could have read its value. So no call
/// is simply left out. A part counts only if it is wrong although every call outside of it that may have changed the
/// item is allowed to take effect at any moment of its own time, or not at all; and although, if calls came before
/// the part, the item may have had any value at first. If the whole history were right, its order would also be one
/// for each such part. So a part that is wrong in this way proves that the whole is wrong, and a reader needs only
/// the part.
///
/// Calls that only look are left out freely, writes only together with all calls that found their values. An update
/// may forget what it found, which makes it a set.
struct HistoryReducer {
    struct Result {
        let operations: [ItemOperation]
        /// Whether no further call can be left out.
        let isSmallest: Bool
    }

    /// A call that is not left out.
    private struct Part {
        let index: Int
        let call: ItemOperation
    }

    private let operations: [ItemOperation]
    private let values: ValueTable
    private let longestCall: UInt64
    /// When the first call that may have changed the item was over.
    private let firstChange: UInt64
    private let deadline: ContinuousClock.Instant
    /// Ways to try at once; what needs more is not shown to be wrong.
    private static let limit = 20_000

    private init(_ operations: [ItemOperation], _ values: ValueTable, _ budget: Duration) {
        self.operations = operations
        self.values = values
        longestCall = operations.reduce(0) { max($0, $1.returned - $1.invoked) }
        firstChange = operations.reduce(.max) { $1.isObservation ? $0 : min($0, $1.returned) }
        deadline = .now + budget
    }

    /// - Parameter budget: about how long it may take; then the smallest part until then is the result.
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

    /// The calls that the search was stuck at, with more and more of those before.
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

    /// So many calls that began last until that time, and so many of those that may have changed the item.
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

    /// With the writes of all values that were found, and the first and the last that found what was written.
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

    /// Leaves out halves, then quarters, down to single calls, as long as what remains is wrong.
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

    /// Writes go with all reads that found their values; updates of these forget what they found.
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
