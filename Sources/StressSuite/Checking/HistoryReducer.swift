/// Finds a small part of a history that shows by itself that the history is not linearizable.
///
/// To leave out a call may make a history wrong that was right: without the set nobody can have got the value. So no call is
/// just left out. A part counts only if it is wrong although each call outside of it that may have changed the item could
/// have taken effect, at any time of its own, or not at all; and although, where calls came before the part, the item may at
/// first have been anything. If the whole history were right, its order would be one for each such part as well: what was
/// left out either took effect as it did, or changed nothing. So a part that is wrong in this way proves the whole wrong, and
/// the reader needs only the part. Calls that merely look are left out freely, writes only together with all that found them.
struct HistoryReducer {
    struct Result {
        let operations: [ItemOperation]
        /// Whether no further call can be left out.
        let isSmallest: Bool
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
        of operations: [ItemOperation],
        _ failure: HistorySearch.Failure,
        budget: Duration = .seconds(2)
    ) -> Result {
        guard let values = failure.values else {
            return Result(operations: failure.calls.sorted().map { operations[$0] }, isSmallest: true)
        }
        let reducer = HistoryReducer(operations, values, budget)
        let first = reducer.firstPart(failure)
        let (part, isSmallest) = first.isWrong ? reducer.reduce(first.part) : (first.part, false)
        return Result(operations: part.map { operations[$0] }, isSmallest: isSmallest)
    }

    private var isOutOfTime: Bool { ContinuousClock.now >= deadline }

    // MARK: - The first part

    /// The calls that the search was stuck at, with more and more of those before.
    private func firstPart(_ failure: HistorySearch.Failure) -> (part: [Int], isWrong: Bool) {
        var size = 0
        var smallest: [Int] = []
        while true {
            let part = complete(failure.calls.union(calls(before: failure.time, count: size)))
            if smallest.isEmpty { smallest = part }
            if isWrong(part) { return (part, true) }
            if part.count == operations.count || isOutOfTime { return (smallest, false) }
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
    private func complete(_ part: Set<Int>) -> [Int] {
        var part = part
        for index in part {
            guard let stamp = operations[index].written, let value = value(of: stamp) else { continue }
            part.formUnion([value.witness, value.lastReader, value.replacer].compactMap(\.self))
        }
        var open = Array(part)
        while let index = open.popLast() {
            guard let stamp = operations[index].found, let writer = value(of: stamp)?.writer else { continue }
            if part.insert(writer).inserted { open.append(writer) }
        }
        return part.sorted()
    }

    private func value(of stamp: Stamp) -> ValueTable.Value? { values.identifier(of: stamp).map { values[$0] } }

    // MARK: - Smaller ones

    /// Leaves out halves, then quarters, down to single calls, as long as what remains is wrong.
    private func reduce(_ whole: [Int]) -> (part: [Int], isSmallest: Bool) {
        var part = whole
        var size = max(1, part.count / 2)
        while true {
            var place = 0
            var hasShrunk = false
            while place < part.count {
                if isOutOfTime { return (part, false) }
                let rest = without(part[place..<min(place + size, part.count)], in: part)
                if !rest.isEmpty, isWrong(rest) {
                    part = rest
                    hasShrunk = true
                } else {
                    place += size
                }
            }
            if size == 1 && !hasShrunk { return (part, true) }
            size = max(1, size / 2)
        }
    }

    /// Writes go with all that found their values.
    private func without(_ removed: ArraySlice<Int>, in part: [Int]) -> [Int] {
        var gone = Set(removed)
        var stamps = Set(removed.compactMap { operations[$0].written })
        while true {
            let more = part.filter { index in
                !gone.contains(index) && operations[index].found.map(stamps.contains) == true
            }
            if more.isEmpty { return part.filter { !gone.contains($0) } }
            gone.formUnion(more)
            stamps.formUnion(more.compactMap { operations[$0].written })
        }
    }

    // MARK: - The proof

    private func isWrong(_ part: [Int]) -> Bool {
        let begin = part.map { operations[$0].invoked }.min() ?? 0
        let end = part.map { operations[$0].returned }.max() ?? 0
        var kept = part[...]
        var calls: [ItemOperation] = []
        for index in firstIndex(where: { $0.invoked + longestCall >= begin })..<firstIndex(where: { $0.invoked > end })
        {
            let call = operations[index]
            if kept.first == index {
                kept.removeFirst()
                calls.append(call)
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
