package import Keyutils

/// Storing an item over any existing one: stage the key, place it (plainly or under the lease), clean up.
///
/// A key is placed *plainly*, which means without the item's lease, unless the namespace has the update flag: see
/// ``NamespaceRings/haveUpdateFlag(in:)``.
extension KernelBackend {
    package func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        try rings.requireOwnSession()
        try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
            let pending = try PendingWrite(of: bytes, as: payload, for: item, timeout: timeout)
            try inRoom(for: pending, &attempt) { attempt throws(SecretStoreError) in
                try place(pending, payload, &attempt)
            }
        }
    }

    /// Places the item, plainly or under its lease.
    func place(
        _ pending: PendingWrite, _ payload: RawSpan, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        try withPair(for: pending.item, &attempt) { pair, attempt throws(KeyringError) in
            if attempt.progress?.lateKey == nil {
                switch try placePlainly(pending, payload, in: pair) {
                case .inTime: return true
                case .refused: break
                case .late(let key):
                    let progress = attempt.makeProgress()
                    (progress.lateKey, progress.isVisible) = (key, true)
                }
            }
            return try placeUnderLease(pending, payload, in: pair, &attempt)
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
        _ pending: PendingWrite, _ payload: RawSpan, in pair: NamespaceRings.Pair, exclusively: Bool = false
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

    /// Places the item under its lease, unless the key that an earlier attempt placed late is still there.
    ///
    /// - Returns: false if the attempt is blocked.
    private func placeUnderLease(
        _ pending: PendingWrite, _ payload: RawSpan, in pair: NamespaceRings.Pair, _ attempt: inout BackendAttempt
    ) throws(KeyringError) -> Bool {
        let name = pending.item.keyDescription
        let late = attempt.progress?.lateKey
        // Each lost round means that this process was stopped for the whole duration of the lease.
        for _ in 0..<SecondLooks.lostLeases {
            let lease: HeldLease?
            do throws(KeyringError) {
                lease = try itemLeases.acquire(for: name, in: pair.leases, &attempt)
            } catch {
                // If nobody holds the lease, no update can displace the late key any more.
                guard error.code == .quotaExceeded, attempt.mayUseLastResorts, let late else { throw error }
                if try itemLeases.isHeld(name, in: pair.leases) { return attempt.isBlocked(by: .itemLease) }
                guard try current(pending.item, in: pair.items) == late else { throw error }
                return true
            }
            guard let lease else { return false }
            if let late, try current(pending.item, in: pair.items) == late { return true }
            if try lease.place(try stage(pending, payload), in: pair.items) {
                try dropFetchSentinel(of: pending.item, in: pair.items)
                _ = lease.release()
                return true
            }
        }
        return attempt.isBlocked(by: .itemLease)
    }
}
