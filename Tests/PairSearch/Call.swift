import SessionKeyring
import StressSuite

/// An operation of a process and what came of it, for the checks.
struct Call {
    let operation: Operation
    let role: Role
    let item: ItemIdentity
    let report: CallReport
    /// The time at which its process was certainly dead, if it was killed during the operation.
    let killedAt: UInt64?

    private var returned: UInt64 { killedAt ?? report.returned }
    /// The timeout of the value that it writes.
    var timeout: UInt32? { operation.hasTimeout ? role.timeout : nil }

    /// Whether it may have written or removed a value, other than by a fetch.
    var isChange: Bool {
        switch operation {
        case .list, .lease, .release, .expire, .refuse, .blindRefuse, .fetch, .longFetch, .refresh, .source,
            .blindFetch:
            false
        case .add, .displacingAdd: report.outcome == .done
        default: report.outcome != .threw
        }
    }

    /// The time during which it certainly held the lease.
    var section: (from: UInt64, until: UInt64)? {
        guard operation.concernsLease, report.heldFrom != 0 else { return nil }
        return (report.heldFrom, min(report.heldUntil, killedAt ?? .max))
    }

    /// Returns its effect on the item, and the read that its process made afterwards.
    ///
    /// - Parameter others: the operations that it met, and whether they waited for it.
    func operations(on item: ItemIdentity, meeting others: [(call: Call, hasWaited: Bool)]) -> [ItemOperation] {
        guard item == self.item || operation == .clear else { return [] }
        var all: [ItemOperation] = []
        if let effect {
            all.append(
                ItemOperation(
                    worker: role.worker, effect: effect, invoked: operation.isFetch ? fetchBegin : report.invoked,
                    returned: end(meeting: others),
                    isCertain: replacesOld || killedAt == nil && !isUncertainFetch))
        }
        if item == self.item, killedAt == nil, report.readReturned != 0 {
            all.append(
                ItemOperation(
                    worker: role.worker, effect: .read(Stamp(rawValue: report.readObserved)),
                    invoked: report.readInvoked, returned: report.readReturned))
        }
        return all
    }

    private var fetchBegin: UInt64 { report.fetched == 0 ? report.invoked : report.fetched }
    private var isUncertainFetch: Bool { operation.isFetch && report.fetched != 0 }
    /// Whether it is a fetch that replaced an old value, or stored nothing.
    var replacesOld: Bool { isUncertainFetch && report.old != 0 }

    /// Returns the latest time at which it took effect.
    ///
    /// A fetched value is stored only if nothing has happened to the item since the fetch began. So it is not stored
    /// after a change that began later and did not wait for the fetch.
    private func end(meeting others: [(call: Call, hasWaited: Bool)]) -> UInt64 {
        guard isUncertainFetch else { return returned }
        let changes = others.filter { other, hasWaited in
            other.isChange && (other.item == item || other.operation == .clear) && !hasWaited
                && other.report.invoked > report.fetched
        }
        // If both have the same time, they could be in either order.
        return changes.reduce(returned) { min($0, $1.call.report.invoked - 1) }
    }

    private var fetchEffect: ItemOperation.Effect {
        replacesOld
            ? .replace(Stamp(rawValue: report.old), by: role.stamp, timeout: timeout)
            : .create(role.stamp, timeout: timeout)
    }

    /// Its effect; `nil` if it had none, or ended in an error, which changes nothing.
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
        case .fetch, .longFetch, .refresh, .source, .blindFetch: return isUncertainFetch ? fetchEffect : .read(found)
        case .refuse, .blindRefuse: return report.outcome == .done ? .read(Role.scene.stamp) : nil
        case .lease, .release: return nil
        }
    }

    /// The effect that it may have had, whenever its process was killed.
    private var killedEffect: ItemOperation.Effect? {
        switch operation {
        case .set, .setTimeout, .ringlessSet, .unlookedSet: .write(role.stamp, timeout: timeout)
        // The process of a source can't report that the command ran.
        case .add, .displacingAdd, .source: .create(role.stamp, timeout: timeout)
        case .fetch, .longFetch, .refresh, .blindFetch: report.fetched == 0 ? nil : fetchEffect
        case .delete: .remove(found: nil)
        case .update: .change(to: role.stamp, timeout: timeout)
        case .clear: .wipe
        case .expire, .list, .lease, .release, .refuse, .blindRefuse: nil
        }
    }
}
