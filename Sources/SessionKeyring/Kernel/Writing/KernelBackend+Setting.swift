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
            do throws(SecretStoreError) {
                try inRoom(&attempt) { attempt throws(SecretStoreError) in try place(pending, payload, &attempt) }
            } catch {
                if error.code == .quotaExceeded { try checkQuotaCouldHold(pending, payload) }
                throw error
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

    /// Throws `tooLarge` if the quota has no room for the secret even when everything else is deleted.
    private func checkQuotaCouldHold(_ pending: PendingWrite, _ payload: RawSpan) throws(SecretStoreError) {
        guard let quota = try? KeyQuota.current() else { return }
        // Besides the payload, the quota must hold these names with their NULs, and a link of 4 bytes to each key.
        let names = [pending.item.keyDescription, rings.itemsName, NamespaceRings.leasesName]
        let limit = quota.maximumBytes - names.reduce(0) { $0 + $1.utf8.count + 5 }
        guard payload.byteCount > limit else { return }
        let size = PayloadEncoding.secretSize(payload)
        throw SecretStoreError(
            .tooLarge(size: size, limit: limit - (payload.byteCount - size)), item: pending.item)
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
        // Each lost round means that this process was stopped for the whole duration of the lease.
        for _ in 0..<SecondLooks.lostLeases {
            let lease = try itemLeases.acquire(for: pending.item.keyDescription, in: pair.leases, &attempt)
            guard let lease else { return false }
            if let late = attempt.progress?.lateKey, try current(pending.item, in: pair.items) == late { return true }
            if try lease.place(try stage(pending, payload), in: pair.items) {
                try dropFetchSentinel(of: pending.item, in: pair.items)
                _ = lease.release()
                return true
            }
        }
        return attempt.isBlocked(by: .itemLease)
    }
}
