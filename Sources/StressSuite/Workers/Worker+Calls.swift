import Keyutils
import SessionKeyring

extension Worker {
    @discardableResult
    func get(_ item: Int) -> StampedValue.Reading? {
        var reading: StampedValue.Reading?
        call(.get, item: item) { open in
            reading = try read(item)
            open.record.set(reading)
        }
        return reading
    }

    func set(_ item: Int, count: UInt64 = 0, timeout: UInt32? = nil) {
        let stamp = nextStamp()
        let value = value(stamp, item: item, count: count)
        let timeout = timeout ?? plan.usualTimeout
        call(.set, item: item, written: stamp, timeout: timeout, count: count) { _ in
            try store.set(value, for: identities[item], lasting: .seconds(Int(timeout)))
        }
    }

    func add(_ item: Int) {
        let stamp = nextStamp()
        let value = value(stamp, item: item)
        call(.add, item: item, written: stamp, timeout: plan.usualTimeout) { _ in
            try store.add(value, for: identities[item], lasting: .seconds(Int(plan.usualTimeout)))
        }
    }

    func delete(_ item: Int) {
        call(.delete, item: item) { open in
            open.record.outcome = try store.delete(identities[item]) ? .done : .refused
        }
    }

    func clear() {
        call(.clear, item: nil) { _ in try store.clear() }
    }

    func list() {
        call(.list, item: nil) { open in
            for identity in try store.identities() {
                guard let item = StressItems.number(of: identity), item < plan.items else {
                    if !plan.isHostile { open.record.flaw = .otherItem }
                    continue
                }
                if item < StressPlan.mostListedItems { open.record.observed |= 1 << UInt64(item) }
            }
        }
    }

    /// Increments a counter with one update.
    func update(_ item: Int) {
        let stamp = nextStamp()
        call(.update, item: item, timeout: plan.usualTimeout) { open in
            try store.blockingUpdate(
                identities[item], as: [UInt8].self, lasting: .seconds(Int(plan.usualTimeout)),
                within: plan.leaseDuration, waiting: plan.waitLimit
            ) { old in
                let reading = old.map { old in
                    unsafe StampedValue.read(old.span.bytes, item: globalItem(item), seed: plan.seed)
                }
                open.record.set(reading)
                open.record.count = (reading?.count ?? 0) + 1
                open.record.written = stamp.rawValue
                // From here on, the value can become visible, even if the worker is killed.
                log(open)
                return bytes(of: value(stamp, item: item, count: open.record.count))
            }
            open.record.outcome = .done
        }
    }

    private func bytes(of value: borrowing SecretBytes) -> [UInt8] {
        value.withBytes { span in unsafe span.withUnsafeBytes { bytes in unsafe Array(bytes) } }
    }

    func read(_ item: Int) throws(SecretStoreError) -> StampedValue.Reading? {
        try store.lending(identities[item]) { bytes in
            StampedValue.read(bytes, item: globalItem(item), seed: plan.seed)
        }
    }
}

extension CallRecord {
    /// Records what a reader found.
    mutating func set(_ reading: StampedValue.Reading?) {
        guard let reading else {
            outcome = .refused
            return
        }
        outcome = .done
        observed = reading.stamp?.rawValue ?? 0
        count = reading.count
        flaw = reading.flaw
    }
}
