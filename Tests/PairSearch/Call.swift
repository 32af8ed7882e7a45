import SessionKeyring
import StressSuite

/// An operation as it went, for the checks.
struct Call {
    let operation: Operation
    let role: Role
    let item: ItemIdentity
    let report: CallReport
    /// When its process was killed in it, and was surely dead.
    let killedAt: UInt64?

    private var returned: UInt64 { killedAt ?? report.returned }
    /// The timeout of what it writes.
    var timeout: UInt32? { operation.hasTimeout ? role.timeout : nil }

    /// Whether it may have changed what is there, or how.
    var isChange: Bool {
        switch operation {
        case .list, .lease, .release, .expire, .fetch, .longFetch, .blindFetch: false
        case .add, .displacingAdd: report.outcome == .done
        default: report.outcome != .threw
        }
    }

    /// Until when it held the lease for sure.
    var section: (from: UInt64, until: UInt64)? {
        guard operation.concernsLease, report.heldFrom != 0 else { return nil }
        return (report.heldFrom, min(report.heldUntil, killedAt ?? .max))
    }

    /// What it did to the item, and what it read behind that.
    ///
    /// - Parameter other: the operation that it met.
    func operations(on item: ItemIdentity, meeting other: Call, hasWaited: Bool) -> [ItemOperation] {
        guard item == self.item else { return operation == .clear ? wipes : [] }
        var all: [ItemOperation] = []
        if let effect {
            all.append(
                ItemOperation(
                    worker: role.worker, effect: effect, invoked: operation.isFetch ? fetchBegin : report.invoked,
                    returned: end(meeting: other, hasWaited: hasWaited), isCertain: killedAt == nil && !isUncertainFetch
                ))
        }
        if killedAt == nil, report.readReturned != 0 {
            all.append(
                ItemOperation(
                    worker: role.worker, effect: .read(Stamp(rawValue: report.readObserved)),
                    invoked: report.readInvoked, returned: report.readReturned))
        }
        return all
    }

    private var wipes: [ItemOperation] {
        guard let effect else { return [] }
        return [
            ItemOperation(
                worker: role.worker, effect: effect, invoked: report.invoked, returned: returned,
                isCertain: killedAt == nil)
        ]
    }

    private var fetchBegin: UInt64 { report.fetched == 0 ? report.invoked : report.fetched }
    private var isUncertainFetch: Bool { operation.isFetch && report.fetched != 0 }

    /// What was fetched is kept only where nothing has happened to the item since the fetch began: so not behind a change
    /// that began later, and did not wait for it.
    private func end(meeting other: Call, hasWaited: Bool) -> UInt64 {
        guard isUncertainFetch, other.isChange, other.item == item || other.operation == .clear, !hasWaited,
            other.report.invoked > report.fetched
        else { return returned }
        // At the same moment they could be in either order.
        return min(returned, other.report.invoked - 1)
    }

    /// `nil` where it had none, or ended in an error, which changes nothing.
    private var effect: ItemOperation.Effect? {
        if killedAt != nil { return killedEffect }
        guard report.outcome != .threw else { return nil }
        let found = Stamp(rawValue: report.observed)
        switch operation {
        case .set, .setTimeout, .ringlessSet, .unlookedSet: return .write(role.stamp, timeout: timeout)
        case .add, .displacingAdd:
            return report.outcome == .done ? .create(role.stamp, timeout: timeout) : .look(isThere: true)
        case .delete: return .remove(found: report.outcome == .done)
        case .expire, .list: return .look(isThere: report.outcome == .done)
        case .update: return .replace(found, by: role.stamp, timeout: timeout)
        case .clear: return .wipe
        case .fetch, .longFetch, .blindFetch:
            return isUncertainFetch ? .create(role.stamp, timeout: timeout) : .read(found)
        case .lease, .release: return nil
        }
    }

    /// What it may have done, wherever its process was killed.
    private var killedEffect: ItemOperation.Effect? {
        switch operation {
        case .set, .setTimeout, .ringlessSet, .unlookedSet: .write(role.stamp, timeout: timeout)
        case .add, .displacingAdd: .create(role.stamp, timeout: timeout)
        case .fetch, .longFetch, .blindFetch: report.fetched == 0 ? nil : .create(role.stamp, timeout: timeout)
        case .delete: .remove(found: nil)
        case .update: .change(to: role.stamp, timeout: timeout)
        case .clear: .wipe
        case .expire, .list, .lease, .release: nil
        }
    }
}
