/// Every value is replaced by at most one update, and the updates of an item form chains that lose none of them.
struct UpdateChainCheck: HistoryCheck {
    static let statement = "no update is lost"
    static let subject = "updates"

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding {
        var chains = Chains()
        for call in history.operations {
            if let violation = chains.add(call, history, writers) {
                return Finding(looked: chains.count, verdict: .violation(violation))
            }
        }
        guard let violation = chains.twoBeginnings ?? chains.circle(writers, history) else {
            return Finding(looked: chains.count, verdict: .holds)
        }
        return Finding(looked: chains.count, verdict: .violation(violation))
    }

    private struct Chains {
        private(set) var count = 0
        private var updates: [Stamp: ItemOperation] = [:]
        /// Values that began a chain: whatever was written otherwise, or where nothing was.
        private var heads: [Stamp] = []
        private var beginnings: [ItemOperation] = []
        private var canVanish = false

        /// - Returns: two updates of the same value.
        mutating func add(_ call: ItemOperation, _ history: ItemHistory, _ writers: Writers) -> Violation? {
            noteVanishing(call)
            guard call.isCertain, case .replace(let old, let stamp, _) = call.effect else {
                if let stamp = call.written { heads.append(stamp) }
                if call.isCertain, case .create = call.effect, beginnings.count < 2 { beginnings.append(call) }
                return nil
            }
            count += 1
            guard let old else {
                heads.append(stamp)
                if beginnings.count < 2 { beginnings.append(call) }
                return nil
            }
            guard let other = updates.updateValue(call, forKey: old) else { return nil }
            let writer = writers[old].map { [history.operations[$0]] } ?? []
            return Violation(
                reason: "actors \(other.actor) and \(call.actor) both updated \(old): one of the updates is lost",
                smallest: writer + [other, call]
            )
        }

        private mutating func noteVanishing(_ call: ItemOperation) {
            switch call.effect {
            case .remove(let found): if !call.isCertain || found != false { canVanish = true }
            case .wipe: canVanish = true
            case .read, .look, .write, .create, .replace, .change: if call.timeout != nil { canVanish = true }
            }
        }

        /// Two that found no item, where nothing ever takes the item away.
        var twoBeginnings: Violation? {
            guard !canVanish, beginnings.count == 2 else { return nil }
            return Violation(
                reason: "actors \(beginnings[0].actor) and \(beginnings[1].actor) both found no item and wrote one",
                smallest: beginnings
            )
        }

        /// An update that no chain from a beginning leads to, although its value was written.
        func circle(_ writers: Writers, _ history: ItemHistory) -> Violation? {
            var left = updates
            for head in heads {
                var stamp: Stamp? = head
                while let value = stamp { stamp = left.removeValue(forKey: value)?.written }
            }
            var next = left.first { writers[$0.key] != nil }?.key
            var calls: [ItemOperation] = []
            while let stamp = next, let call = left.removeValue(forKey: stamp) {
                calls.append(call)
                next = call.written
            }
            return calls.isEmpty || next.map { updates[$0] == nil } ?? true
                ? nil
                : Violation(reason: "\(calls.count) updates replaced each other's values in a circle", smallest: calls)
        }
    }
}
