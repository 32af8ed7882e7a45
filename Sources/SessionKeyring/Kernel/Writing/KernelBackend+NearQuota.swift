import Glibc
import Keyutils

/// The last resort where the quota has no room for a new item beside the old one: writing over the old one in place.
///
/// The kernel clears the timeout when a payload is replaced in place, so a process that dies in between would leave a secret
/// that never expires. Therefore, under the item's lease:
///
/// 1. *Pin*: the old key is linked into the lease. (If the process dies here: the old secret, untouched.)
/// 2. *Record*: the lease says which key it is, when it is to expire, and a hash of the new payload. (The same: the hash
///    does not fit the old payload.)
/// 3. *Payload*: the key is added by its name **to the lease**, which writes to exactly the pinned key; had that one died,
///    the new one would lie in the lease, unseen. A refusal changes nothing. (The new secret without a timeout, until
///    somebody takes the lease, and ``ItemLeases/finishOverwrite(_:of:)`` gives it one.)
/// 4. *Timeout*. (The same.)
/// 5. *Release*: the lease is given back. That may come late: a process that took the lease meanwhile found the new payload
///    and finished the write, because a lease that was taken lets nothing in.
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

    /// Writes over the item's key; false if it has to begin again, because others had the lease or changed the item.
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

    /// Writes over the key; false if it has to begin again, because the lease was lost or the key was no longer there.
    ///
    /// - Throws: ``KeyringError`` with `quotaExceeded`, nothing having changed.
    func overwrite(
        _ key: Key, in items: Keyring, with pending: PendingWrite, _ payload: RawSpan, under lease: inout HeldLease,
        slack: Duration
    ) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            // One of another making may not be ours to change.
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

    /// Tells a secret that no deleting would make room for.
    private func checkQuotaCouldHold(_ pending: PendingWrite, _ payload: RawSpan) throws(SecretStoreError) {
        guard pending.type == .user, let quota = try? KeyQuota.current() else { return }
        // The names, with their NULs, of what has to be there beside the payload, and a link of 4 bytes to each.
        let names = [pending.item.keyDescription, rings.itemsName, NamespaceRings.leasesName]
        let limit = quota.maximumBytes - names.reduce(0) { $0 + $1.utf8.count + 5 }
        guard payload.byteCount > limit else { return }
        let size = PayloadEncoding.secretSize(payload)
        throw SecretStoreError(
            .tooLarge(size: size, limit: limit - (payload.byteCount - size)), item: pending.item)
    }
}

extension ItemLeases {
    /// Finishes what somebody began to write in place, whose lease is being taken.
    ///
    /// Only a key counts that the holder has pinned in this very lease, that is still the item of the lease's name, and that
    /// holds what was to be written; the old payload is untouched, and so is its timeout. Nobody may set the key's timeout
    /// any more then, or write over it in place: that of a late holder, or of another one who finishes this, would hit a
    /// successor's value. (So `expire` makes a new key of it, and so does whoever sets it once there is room.)
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
            // It is gone, or not ours to change.
            guard error.isKeyGoneOrRefused else { throw error }
        }
    }

    private func itemsRing() throws(KeyringError) -> Keyring? {
        do throws(SecretStoreError) {
            // Not the one that is remembered, which may be gone.
            return try rings.findItems()
        } catch {
            throw error.underlying ?? KeyringError(.accessDenied, in: .search)
        }
    }
}

extension KeyPermissions {
    /// Those of an item whose timeout can't be changed any more.
    var withoutSettingAttributes: KeyPermissions { subtracting([.possessorSetAttribute, .userSetAttribute]) }
}
