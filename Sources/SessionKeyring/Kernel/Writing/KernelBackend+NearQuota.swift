import Glibc
import Keyutils

/// Overwriting an item in place, as the last resort if the quota has no room for a new key next to the old one.
///
/// The kernel clears a key's timeout when its payload is replaced in place. A process that died right after that would
/// leave a secret that never expires. So the writer takes these steps under the item's lease. The words in parentheses
/// state what remains if the process dies at that step.
///
/// 1. *Pin*: the writer links the old key into the lease. (The old secret, unchanged.)
/// 2. *Record*: the writer records in the lease which key it is, when the key must expire, and a hash of the new
///    payload. (The old secret, unchanged. Its payload does not match the hash.)
/// 3. *Payload*: the writer adds the key by its name **to the lease**. That writes to exactly the pinned key. If the
///    pinned key has died, the new key stays in the lease, where nobody sees it. If the kernel refuses the call,
///    nothing changes. (The new secret without a timeout, until somebody takes over the lease and
///    ``ItemLeases/finishOverwrite(_:of:)`` sets the timeout.)
/// 4. *Timeout*: the writer sets the key's timeout. (The same as in step 3.)
/// 5. *Release*: the writer releases the lease. This may come late, after another process has taken over the lease.
///    Nothing can be added to a lease that was taken over. So the other process found the new payload, and finished
///    the overwrite.
extension KernelBackend {
    func placeNearQuota(
        _ pending: PendingWrite, _ payload: RawSpan, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        try checkQuotaCouldHold(pending, payload)
        if try makeRoom(&attempt), try placeIfRoom(pending, payload, &attempt) { return }
        for _ in 0..<SecondLooks.lostLeases {
            var isDone = false
            try withPair(for: pending.item, &attempt) { pair, attempt throws(KeyringError) in
                let lease = try itemLeases.acquire(for: pending.item.keyDescription, in: pair.leases, &attempt)
                guard let lease else { return false }
                isDone = try overwrite(pending, payload, in: pair.items, under: lease)
                return true
            }
            if isDone { return }
            if try placeIfRoom(pending, payload, &attempt) { return }
        }
        throw attempt.blocked(pending.item)
    }

    private func placeIfRoom(
        _ pending: PendingWrite, _ payload: RawSpan, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        do throws(SecretStoreError) {
            try place(pending, payload, &attempt)
            return true
        } catch {
            guard error.code == .quotaExceeded else { throw error }
            return false
        }
    }

    /// Overwrites the item's key in place.
    ///
    /// - Returns: false if the caller must begin again, because others had the lease or changed the item.
    private func overwrite(
        _ pending: PendingWrite, _ payload: RawSpan, in items: Keyring, under lease: consuming HeldLease
    ) throws(KeyringError) -> Bool {
        let key: Key
        do throws(KeyringError) {
            key = try items.find(pending.type, pending.item.keyDescription)
        } catch {
            guard error.isKeyGoneOrRefused else { throw error }
            throw KeyringError(.quotaExceeded, in: .add)
        }
        return try overwrite(
            key, in: items, with: pending, payload, under: &lease, slack: ItemLeases.duration / 4)
    }

    /// Overwrites a key in place.
    ///
    /// - Returns: false if the caller must begin again, because the lease was lost or the key was gone.
    /// - Throws: ``KeyringError`` with `quotaExceeded`; nothing has changed then.
    func overwrite(
        _ key: Key, in items: Keyring, with pending: PendingWrite, _ payload: RawSpan, under lease: inout HeldLease,
        slack: Duration
    ) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            // A key with other permissions was made by others, and may not be ours to change.
            guard pending.type == .user, try key.describe().permissions == rings.scope.permissions else {
                throw KeyringError(.quotaExceeded, in: .add)
            }
            try lease.ring.link(key)
            if let timeout = pending.timeout {
                let overwrite = LeaseRecord.Overwrite(
                    key: key.serial, expiry: Int64(time(nil)) + Int64(timeout.seconds),
                    hash: LeaseRecord.hash(of: payload))
                guard try lease.record(overwrite) else { return false }
            }
            guard lease.timeLeft > slack else { return false }
            let written = try lease.ring.add(.user, pending.item.keyDescription, payload: payload)
            guard written == key else {
                try written.invalidate()
                return false
            }
            if let timeout = pending.timeout { try key.setTimeout(timeout) }
            try dropFetchSentinel(of: pending.item, in: items)
            return true
        } catch {
            guard error.isKeyGoneOrRefused || error.code == .notPermitted else { throw error }
            return false
        }
    }

    /// Throws `tooLarge` if the quota has no room for the secret even when everything else is deleted.
    private func checkQuotaCouldHold(_ pending: PendingWrite, _ payload: RawSpan) throws(SecretStoreError) {
        guard pending.type == .user, let quota = try? KeyQuota.current() else { return }
        // Besides the payload, the quota must hold these names with their NULs, and a link of 4 bytes to each key.
        let names = [pending.item.keyDescription, rings.itemsName, NamespaceRings.leasesName]
        let limit = quota.maximumBytes - names.reduce(0) { $0 + $1.utf8.count + 5 }
        guard payload.byteCount > limit else { return }
        let size = PayloadEncoding.secretSize(payload)
        throw SecretStoreError(
            .tooLarge(size: size, limit: limit - (payload.byteCount - size)), item: pending.item)
    }
}

extension ItemLeases {
    /// Finishes an overwrite in place that the holder of a lease had begun, when the lease is taken over.
    ///
    /// A key counts only if all of these are true: the holder has pinned it in this lease, it is still the item that
    /// the lease is for, and it holds the recorded payload. A key with the old payload is left alone, with its timeout.
    ///
    /// After this, nobody can set the key's timeout or overwrite the key in place. Otherwise a late holder, or another
    /// process that finishes the same overwrite, could set the old timeout on a later value. So `expire` replaces the
    /// key with a new one, and so does a `set` once there is room.
    func finishOverwrite(_ record: LeaseRecord, of lease: Keyring) throws(KeyringError) {
        guard let overwrite = record.overwrite else { return }
        let key = Key(overwrite.key)
        do throws(KeyringError) {
            guard try lease.links(key), let items = try itemsRing(), try items.links(key) else { return }
            let (description, name) = (try key.describe(), try Key(lease).describe().name)
            guard description.type == .user, self.name(for: description.name).utf8.elementsEqual(name.utf8),
                try key.withPayload({ LeaseRecord.hash(of: $0) }) == overwrite.hash
            else { return }
            let (left, isOverflow) = overwrite.expiry.subtractingReportingOverflow(Int64(time(nil)))
            guard !isOverflow, left > 0, left <= Int64(UInt32.max) else { return try key.invalidate() }
            try key.setTimeout(KeyTimeout(.seconds(left)))
            try key.setPermissions(rings.scope.permissions.withoutSettingAttributes)
        } catch {
            // The key is gone, or not ours to change.
            guard error.isKeyGoneOrRefused else { throw error }
        }
    }

    private func itemsRing() throws(KeyringError) -> Keyring? {
        do throws(SecretStoreError) {
            // Don't use the remembered ring, which may be gone.
            return try rings.findItems()
        } catch {
            throw error.underlying ?? KeyringError(.accessDenied, in: .search)
        }
    }
}

extension KeyPermissions {
    /// The same permissions, without the permission to change the timeout.
    var withoutSettingAttributes: KeyPermissions { subtracting([.possessorSetAttribute, .userSetAttribute]) }
}
