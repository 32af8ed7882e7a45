import Keyutils
import SessionKeyring
import StressSuite

/// Checks that a stored value has the timeout of its writer, or of an expire that may have come after it.
struct Lifetimes {
    let calls: [Call]
    let series: ItemSeries

    /// Returns the problem with the value's timeout, or `nil` if there isn't one.
    func problem(of stamp: Stamp, _ item: ItemIdentity, in store: SecretStore) throws -> String? {
        guard let key = try find(item, in: store), let entry = try KeyTable.snapshot()[key.serial] else { return nil }
        let allowed = allowed(for: stamp, item)
        switch entry.expiry {
        case .expired: return nil
        case .never:
            return allowed.contains(nil) ? nil : "\(stamp) never expires, but should after \(Self.text(allowed))"
        case .left(let left):
            let isAllowed = allowed.contains { seconds in
                guard let seconds else { return false }
                let limit = Duration.seconds(Int(seconds))
                return left.atLeast <= limit && limit <= left.atLeast + left.precision + .seconds(5)
            }
            return isAllowed
                ? nil : "\(stamp) expires after \(left.atLeast), but should after \(Self.text(allowed))"
        }
    }

    /// Returns the item's key, or `nil` if the item has expired since its value was read.
    ///
    /// A dead holder's lease may contain another key of that name.
    private func find(_ item: ItemIdentity, in store: SecretStore) throws -> Key? {
        let ring = try (store.backend as? KernelBackend)?.rings.items()
        do throws(KeyringError) {
            return try ring?.search(.user, item.keyDescription)
        } catch {
            guard error.code == .expired else { throw error }
            return nil
        }
    }

    private static func text(_ allowed: [UInt32?]) -> String {
        allowed.map { $0.map { "\($0) s" } ?? "never" }.joined(separator: " or ")
    }

    private func allowed(for stamp: Stamp, _ item: ItemIdentity) -> [UInt32?] {
        let writer = calls.first { $0.role.stamp == stamp }
        var allowed: [UInt32?] = []
        var isSurelyExpired = false
        for call in calls where call.operation == .expire && call.item == item {
            guard call.killedAt != nil || call.report.outcome == .done else { continue }
            let isBehind = writer.map { $0.killedAt == nil && $0.report.returned < call.report.invoked } ?? true
            let isBefore = writer.map { call.killedAt == nil && call.report.returned < $0.report.invoked } ?? false
            if !isBefore { allowed.append(call.role.expiry) }
            if isBehind && call.killedAt == nil { isSurelyExpired = true }
        }
        if !isSurelyExpired { allowed.append(ownTimeout(of: writer, item)) }
        return allowed
    }

    private func ownTimeout(of writer: Call?, _ item: ItemIdentity) -> UInt32? {
        guard let writer else {
            let isBrief = item == SceneItem.contested && (series.stop.crossesExpiry || series.state == .expired)
            return isBrief ? 1 : Role.scene.timeout
        }
        return writer.operation.hasTimeout ? writer.role.timeout : nil
    }
}
