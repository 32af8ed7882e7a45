package import Keyutils

/// Storing an item over any existing one: stage the key, place it (plainly or under the lease), clean up.
///
/// A key is placed *plainly*, which means without the item's lease, unless the namespace has the update flag: see
/// ``NamespaceRings/haveUpdateFlag(in:)``.
extension KernelBackend {
    package func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> {
        try rings.requireOwnSession()
        var late: Key?
        if case .placed(let key) = step { late = key }
        return try .of(after: late.map(VisibleStep.placed)) { () throws(SecretStoreError) in
            try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
                let pending = try PendingWrite(of: bytes, as: payload, for: item, timeout: timeout, facts)
                try inRoom(for: pending, effort) { () throws(SecretStoreError) in
                    try place(pending, payload, late: &late, effort)
                }
            }
        }
    }

    /// Places the item, plainly or under its lease.
    ///
    /// - Parameter late: the key that was placed late, by an earlier attempt or by this one.
    private func place(
        _ pending: borrowing PendingWrite, _ payload: RawSpan, late: inout Key?, _ effort: Effort
    ) throws(SecretStoreError) {
        try withPair(for: pending.item, effort) { pair throws(KeyringError) -> Step<Void> in
            if pending.facts != nil {
                // Deletions remove facts only if they take leases.
                if let blockage = try rings.raiseUpdateFlag(in: pair.leases) { return .blocked(blockage) }
            } else if late == nil {
                switch try placePlainly(pending, payload, in: pair) {
                case .inTime: return .done(())
                case .refused: break
                case .late(let key): late = key
                }
            }
            return try placeUnderLease(pending, payload, in: pair, unless: late, effort)
        }
    }

    enum PlainPlacement {
        case inTime
        /// An update may have read the item before this key was placed, without seeing it.
        case late(Key)
        /// Writers use leases, so the key was not placed.
        case refused
    }

    /// Places the item without a lease, unless writers use leases.
    ///
    /// This never looks at the existing item.
    func placePlainly(
        _ pending: borrowing PendingWrite, _ payload: RawSpan, in pair: NamespaceRings.Pair, exclusively: Bool = false
    ) throws(KeyringError) -> PlainPlacement {
        var write = UnlockedWrite()
        guard try !rings.haveUpdateFlag(in: pair.leases) else { return .refused }
        let key = try stage(pending, payload)
        do throws(KeyringError) {
            while !write.mayBegin {
                write = UnlockedWrite()
                guard try !rings.haveUpdateFlag(in: pair.leases) else {
                    Staging.discard(key)
                    return .refused
                }
            }
            try Keyring.thread.move(key, to: pair.items, exclusive: exclusively)
        } catch {
            Staging.discard(key)
            throw error
        }
        if write.isInTime { return .inTime }
        return try rings.haveUpdateFlag(in: pair.leases) ? .late(key) : .inTime
    }

    /// Places the item under its lease, unless the key that was placed late is still there.
    private func placeUnderLease(
        _ pending: borrowing PendingWrite, _ payload: RawSpan, in pair: NamespaceRings.Pair, unless late: Key?,
        _ effort: Effort
    ) throws(KeyringError) -> Step<Void> {
        let name = pending.item.keyDescription
        // Each lost round means that this process was stopped for the whole duration of the lease.
        for _ in 0..<SecondLooks.lostLeases {
            let lease: HeldLease
            do throws(KeyringError) {
                switch try itemLeases.acquire(for: name, in: pair.leases, effort) {
                case .done(let taken): lease = taken
                case .blocked(let reason): return .blocked(reason)
                }
            } catch {
                // If nobody holds the lease, no update can displace the late key any more.
                guard error.code == .quotaExceeded, effort.mayUseLastResorts, let late else { throw error }
                if try itemLeases.isHeld(name, in: pair.leases) { return .blocked(.itemLease) }
                guard try current(pending.item, in: pair.items) == late else { throw error }
                return .done(())
            }
            let staged: StagedWrite
            var isPlaced = true
            if let late, try current(pending.item, in: pair.items) == late {
                staged = StagedWrite(key: late, companion: nil, hasFacts: true)
            } else {
                staged = try stageWithFacts(pending, payload, effort)
                isPlaced = try place(staged, in: pair.items, under: lease)
            }
            if isPlaced {
                try complete(staged, of: pending.item, in: pair.items, under: lease)
                _ = lease.release()
                return .done(())
            }
        }
        return .blocked(.itemLease)
    }
}
