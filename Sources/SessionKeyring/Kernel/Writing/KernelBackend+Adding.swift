package import Keyutils

/// Storing an item unless a live one exists.
extension KernelBackend {
    package func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Void> {
        try rings.requireOwnSession()
        return try .of { () throws(SecretStoreError) in
            try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
                let pending = try PendingWrite(of: bytes, as: payload, for: item, timeout: timeout, facts)
                // Each lost round means that another process was faster.
                for _ in 0..<SecondLooks.lostLeases {
                    let creation = try inRoom(for: pending, effort) { () throws(SecretStoreError) in
                        try create(pending, payload, effort)
                    }
                    switch creation {
                    case .created: return
                    case .occupied: throw SecretStoreError(.duplicate, item: item)
                    case .lost: continue
                    }
                }
                throw SecretStoreError(.blocked(.itemLease), item: item)
            }
        }
    }

    private enum Creation { case created, occupied, lost }

    private func create(
        _ pending: borrowing PendingWrite, _ payload: RawSpan, _ effort: Effort
    ) throws(SecretStoreError) -> Creation {
        try withPair(for: pending.item, effort) { pair throws(KeyringError) in
            switch try nameState(of: pending.item, in: pair.items) {
            case .live: return .done(.occupied)
            case .free where pending.facts == nil: return try createPlainly(pending, payload, in: pair, effort)
            // A dead key keeps the name until the kernel collects it. The process displaces it because of what it saw,
            // so this needs the flag. Facts need it too, because deletions remove them only if they take leases.
            case .dead, .free:
                if let blockage = try rings.raiseUpdateFlag(in: pair.leases) { return .blocked(blockage) }
                return try createUnderLease(pending, payload, in: pair, effort)
            }
        }
    }

    /// Creates the item without a lease: if the name is free, the kernel lets only one key in.
    private func createPlainly(
        _ pending: borrowing PendingWrite, _ payload: RawSpan, in pair: NamespaceRings.Pair, _ effort: Effort
    ) throws(KeyringError) -> Step<Creation> {
        do throws(KeyringError) {
            switch try placePlainly(pending, payload, in: pair, exclusively: true) {
            // The kernel also refuses an update that saw no item, so this key is not too late.
            case .inTime, .late: return .done(.created)
            case .refused: return try createUnderLease(pending, payload, in: pair, effort)
            }
        } catch {
            // A set was faster, or the existing item has died: look again.
            guard error.code == .alreadyExists else { throw error }
            return .done(.lost)
        }
    }

    private func createUnderLease(
        _ pending: borrowing PendingWrite, _ payload: RawSpan, in pair: NamespaceRings.Pair, _ effort: Effort
    ) throws(KeyringError) -> Step<Creation> {
        let lease: HeldLease
        switch try itemLeases.acquire(for: pending.item.keyDescription, in: pair.leases, effort) {
        case .done(let taken): lease = taken
        case .blocked(let reason): return .blocked(reason)
        }
        let state = try nameState(of: pending.item, in: pair.items)
        guard state.key == nil else { return .done(.occupied) }
        // Only processes that have raised the flag are allowed to displace what they saw.
        if state == .dead, try !rings.haveUpdateFlag(in: pair.leases) { return .done(.lost) }
        let staged = try stageWithFacts(pending, payload, effort)
        do throws(KeyringError) {
            guard try place(staged, in: pair.items, exclusively: state == .free, under: lease) else {
                return .done(.lost)
            }
        } catch {
            guard error.code == .alreadyExists else { throw error }
            return .done(.lost)
        }
        try complete(staged, of: pending.item, in: pair.items, under: lease)
        return .done(.created)
    }
}
