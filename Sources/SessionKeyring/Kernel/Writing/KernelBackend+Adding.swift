package import Keyutils

/// Storing an item unless a live one exists.
extension KernelBackend {
    package func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        try rings.requireOwnSession()
        try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
            let pending = try PendingWrite(of: bytes, as: payload, for: item, timeout: timeout)
            // Each lost round means that another process was faster.
            for _ in 0..<SecondLooks.lostLeases {
                let outcome = try inRoom(for: pending, &attempt) { attempt throws(SecretStoreError) in
                    try create(pending, payload, &attempt)
                }
                switch outcome {
                case .created: return
                case .occupied: throw SecretStoreError(.duplicate, item: item)
                case .lost, .blocked: continue
                }
            }
            throw attempt.blocked(item)
        }
    }

    private enum Creation { case created, occupied, lost, blocked }

    private func create(
        _ pending: PendingWrite, _ payload: RawSpan, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Creation {
        var outcome = Creation.lost
        try withPair(for: pending.item, &attempt) { pair, attempt throws(KeyringError) in
            switch try nameState(of: pending.item, in: pair.items) {
            case .live: outcome = .occupied
            case .free: outcome = try createPlainly(pending, payload, in: pair, &attempt)
            // A dead key keeps the name until the kernel collects it. The process displaces it because of what it saw,
            // so this needs the flag.
            case .dead:
                outcome =
                    try rings.raiseUpdateFlag(in: pair.leases, &attempt)
                    ? createUnderLease(pending, payload, in: pair, &attempt) : .blocked
            }
            return outcome != .blocked
        }
        return outcome
    }

    /// Creates the item without a lease: if the name is free, the kernel lets only one key in.
    private func createPlainly(
        _ pending: PendingWrite, _ payload: RawSpan, in pair: NamespaceRings.Pair, _ attempt: inout BackendAttempt
    ) throws(KeyringError) -> Creation {
        do throws(KeyringError) {
            switch try placePlainly(pending, payload, in: pair, exclusively: true) {
            // The kernel also refuses an update that saw no item, so this key is not too late.
            case .inTime, .late: return .created
            case .refused: return try createUnderLease(pending, payload, in: pair, &attempt)
            }
        } catch {
            // A set was faster, or the existing item has died: look again.
            guard error.code == .alreadyExists else { throw error }
            return .lost
        }
    }

    private func createUnderLease(
        _ pending: PendingWrite, _ payload: RawSpan, in pair: NamespaceRings.Pair, _ attempt: inout BackendAttempt
    ) throws(KeyringError) -> Creation {
        let lease = try itemLeases.acquire(for: pending.item.keyDescription, in: pair.leases, &attempt)
        guard let lease else { return .blocked }
        let state = try nameState(of: pending.item, in: pair.items)
        guard state.key == nil else { return .occupied }
        // Only processes that have raised the flag are allowed to displace what they saw.
        if state == .dead, try !rings.haveUpdateFlag(in: pair.leases) { return .lost }
        do throws(KeyringError) {
            guard try lease.place(try stage(pending, payload), in: pair.items, exclusively: state == .free) else {
                return .lost
            }
        } catch {
            guard error.code == .alreadyExists else { throw error }
            return .lost
        }
        try dropFetchSentinel(of: pending.item, in: pair.items)
        return .created
    }
}
