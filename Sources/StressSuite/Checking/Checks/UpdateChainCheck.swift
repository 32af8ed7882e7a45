/// Checks that at most one update replaces each value, and that the updates of an item form chains without loss.
struct UpdateChainCheck: HistoryCheck {
    static let statement = "no update is lost"
    static let subject = "updates"

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding {
        var chains = Chains()
        var violation: Violation?
        for call in history.operations where violation == nil { violation = chains.add(call, writers) }
        violation = violation ?? chains.twoBeginnings ?? chains.circle
        return Finding(looked: chains.count, verdict: violation.map { .violation($0) } ?? .holds)
    }

    private struct Chains {
        private(set) var count = 0
        private var updates: [Stamp: ItemOperation] = [:]
        /// Values that began a chain: all except those that an update of a known value wrote.
        private var heads: [Stamp] = []
        private var beginnings: [ItemOperation] = []
        private var canVanish = false

        /// Adds a call.
        ///
        /// - Returns: a violation if another update has already replaced the same value.
        mutating func add(_ call: ItemOperation, _ writers: Writers) -> Violation? {
            addVanishing(call)
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
            let writer = writers[old].map { [$0] } ?? []
            return Violation(
                reason: "workers \(other.worker) and \(call.worker) both updated \(old): one of the updates is lost",
                calls: writer + [other, call]
            )
        }

        private mutating func addVanishing(_ call: ItemOperation) {
            switch call.effect {
            case .remove(let found): if !call.isCertain || found != false { canVanish = true }
            case .wipe: canVanish = true
            case .read, .look, .write, .create, .replace, .change: if call.timeout != nil { canVanish = true }
            }
        }

        /// Two calls that found no item and created one, although nothing ever removes the item.
        var twoBeginnings: Violation? {
            guard !canVanish, beginnings.count == 2 else { return nil }
            return Violation(
                reason: "workers \(beginnings[0].worker) and \(beginnings[1].worker) both found no item and wrote one",
                calls: beginnings
            )
        }

        /// Updates that no chain leads to, and that replaced each other's values in a circle.
        var circle: Violation? {
            var left = updates
            for head in heads {
                var next: Stamp? = head
                while let stamp = next { next = left.removeValue(forKey: stamp)?.written }
            }
            while let start = left.first?.key {
                var calls: [ItemOperation] = []
                var next: Stamp? = start
                while let stamp = next, let call = left.removeValue(forKey: stamp) {
                    calls.append(call)
                    next = call.written
                }
                guard next == start else { continue }
                let reason = "\(calls.count) updates replaced each other's values in a circle"
                return Violation(reason: reason, calls: calls)
            }
            return nil
        }
    }
}
