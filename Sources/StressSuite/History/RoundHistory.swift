/// The calls of a round, grouped by what the checks examine.
struct RoundHistory {
    /// The operations on each item, indexed by the item's number in the whole run.
    private(set) var items: [[ItemOperation]]
    /// The sections under a lease, indexed by item.
    private(set) var sections: [[CallRecord]]
    /// All calls, in no particular order.
    private(set) var calls: [CallRecord] = []
    /// How many calls of the workers have returned, as the tables count them: without the run's own reads.
    private(set) var returned = 0

    private let plan: StressPlan
    /// How many returned calls ``items`` has for each item; a call on all items counts only for the first one.
    private var counts: [Int]

    init(plan: StressPlan, sharedLog: SharedLog) {
        self.plan = plan
        items = Array(repeating: [], count: plan.allItems)
        sections = Array(repeating: [], count: plan.allItems)
        counts = Array(repeating: 0, count: plan.allItems)
        for slot in 0..<sharedLog.slots {
            let log = sharedLog.log(slot)
            let first = WorkerPlace(slot: slot, incarnation: 0, plan: plan).firstItem
            for index in 0..<log.count { add(log[index], firstItem: slot < plan.workers ? first : 0) }
        }
    }

    private mutating func add(_ call: CallRecord, firstItem: Int) {
        calls.append(call)
        let counts = call.worker != 0 && !call.isCutOff
        if counts { returned += 1 }
        if call.item == CallRecord.allItems {
            for offset in 0..<plan.items {
                guard let effect = call.effect(onItemAt: offset) else { continue }
                add(effect, of: call, item: firstItem + offset, counts: counts && offset == 0)
            }
        } else if call.kind == .lease {
            sections[Int(call.item)].append(call)
        } else if let effect = call.effect {
            add(effect, of: call, item: Int(call.item), counts: counts)
        }
    }

    private mutating func add(_ effect: ItemOperation.Effect, of call: CallRecord, item: Int, counts: Bool) {
        if counts { self.counts[item] += 1 }
        items[item].append(
            ItemOperation(
                worker: call.worker, effect: effect, invoked: call.invoked, returned: call.returned,
                isCertain: !call.isCutOff))
    }

    /// The histories that the checks examine.
    var histories: [ItemHistory] {
        items.enumerated().filter { !$0.element.isEmpty }.map { item, operations in
            ItemHistory(name: plan.name(ofItem: item), operations: operations, calls: counts[item])
        }
    }
}

extension StressPlan {
    /// The name of an item in histories, to be placed after the word "item".
    func name(ofItem item: Int) -> String {
        workload == .sessions ? "\(item % items) of session \(item / items)" : "\(item)"
    }
}

extension CallRecord {
    /// The call's effect on its item, or its observation of it; `nil` if it has neither, or can't be trusted.
    fileprivate var effect: ItemOperation.Effect? {
        guard outcome != .threw, flaw == nil else { return nil }
        let limit = timeout == 0 ? nil : timeout
        let new = Stamp(rawValue: written)
        switch kind {
        case .get: return isCutOff ? nil : .read(Stamp(rawValue: observed))
        case .set: return new.map { .write($0, timeout: limit) }
        case .add where outcome == .refused: return .look(isThere: true)
        case .add: return new.map { .create($0, timeout: limit) }
        case .delete: return .remove(found: isCutOff ? nil : outcome == .done)
        case .update where isCutOff: return new.map { .change(to: $0, timeout: limit) }
        case .update: return new.map { .replace(Stamp(rawValue: observed), by: $0, timeout: limit) }
        case .clear, .list, .lease: return nil
        }
    }

    /// The effect or the observation of a call on all items, for one of them.
    fileprivate func effect(onItemAt offset: Int) -> ItemOperation.Effect? {
        guard outcome != .threw, flaw == nil else { return nil }
        switch kind {
        case .clear: return .wipe
        case .list where !isCutOff && offset < StressPlan.mostListedItems:
            return .look(isThere: observed >> UInt64(offset) & 1 == 1)
        default: return nil
        }
    }
}
