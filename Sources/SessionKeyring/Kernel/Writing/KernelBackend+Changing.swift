package import Keyutils

extension KernelBackend {
    package func expire(_ item: ItemIdentity, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        do throws(SecretStoreError) {
            if let leases = try rings.leasesIfFlagged() {
                return try expireUnderLease(item, timeout: timeout, leases: leases)
            }
            return try expireUnlocked(item, timeout: timeout)
        } catch {
            guard error.code == .forbidden, try isTimeoutFixed(of: item) else { throw error }
            return try expireAnew(item, timeout: timeout)
        }
    }

    /// Whether somebody has finished an overwrite in place of the item: see ``ItemLeases/finishOverwrite(_:of:)``.
    private func isTimeoutFixed(of item: ItemIdentity) throws(SecretStoreError) -> Bool {
        let permissions = try withKey(of: item) { _, key throws(KeyringError) in try key.describe().permissions }
        return permissions == rings.scope.permissions.withoutSettingAttributes
    }

    /// Puts a new key with the same secret in the item's place.
    private func expireAnew(_ item: ItemIdentity, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        guard let update = try beginUpdate(of: item, lasting: ItemLeases.duration, waiting: RetryBudget.heldLease)
        else {
            throw SecretStoreError(.contended, item: item)
        }
        while true {
            var copy: SecretBytes?
            guard try update.read({ bytes in copy = SecretBytes(copying: bytes) }), let secret = copy else {
                return false
            }
            let isDone = try secret.withBytes { bytes throws(SecretStoreError) in
                try update.commit(bytes, timeout: timeout)
            }
            if isDone { return true }
        }
    }

    package func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        while true {
            let write = UnlockedWrite()
            if let leases = try rings.leasesIfFlagged() { return try deleteUnderLease(item, leases: leases) }
            var isInTime = true
            // Unlinking goes by name: it removes what is there at that moment, which is what a delete is for.
            let removed = try remove(item) { ring, key throws(KeyringError) in
                guard write.mayBegin else { return false }
                try ring.unlink(key)
                isInTime = isInTime && write.isInTime
                return true
            }
            guard let isRemoved = removed else { continue }
            // An update that has seen the item before may have come behind it.
            guard !isInTime, let leases = try rings.leasesIfFlagged() else { return isRemoved }
            return try deleteUnderLease(item, leases: leases) || isRemoved
        }
    }

    private func expireUnlocked(_ item: ItemIdentity, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        try withKey(of: item) { _, key throws(KeyringError) in
            if let timeout { try key.setTimeout(timeout) } else { try key.removeTimeout() }
        } != nil
    }

    private func expireUnderLease(
        _ item: ItemIdentity, timeout: KeyTimeout?, leases ring: Keyring
    ) throws(SecretStoreError) -> Bool {
        for _ in 0..<RetryBudget.lostLeases {
            let lease = try affordableLease(for: item, in: ring)
            let isFound = try expireUnlocked(item, timeout: timeout)
            // Had somebody else taken it meanwhile, the timeout might be that of a key which is gone.
            if lease?.release() ?? true { return isFound }
        }
        throw SecretStoreError(.contended, item: item)
    }

    /// Removes the item as all types that it may have; `nil` if `unlink` says that it may not.
    ///
    /// The rarer type goes first, so that it does not show for a moment where the other one hid it.
    func remove(
        _ item: ItemIdentity,
        unlink: (Keyring, Key) throws(KeyringError) -> Bool
    ) throws(SecretStoreError) -> Bool? {
        var removed = false
        for type in ItemTypes.all.reversed() {
            let outcome = try withKey(of: item, type: type) { ring, key throws(KeyringError) -> Removal in
                do throws(KeyringError) {
                    return try unlink(ring, key) ? .done : .refused
                } catch {
                    // Another process was first.
                    guard error.code == .notLinked else { throw error }
                    return .nothingThere
                }
            }
            if outcome == .refused { return nil }
            removed = removed || outcome == .done
        }
        return removed
    }

    private enum Removal { case done, nothingThere, refused }

    private func deleteUnderLease(_ item: ItemIdentity, leases ring: Keyring) throws(SecretStoreError) -> Bool {
        for _ in 0..<RetryBudget.lostLeases {
            let lease = try affordableLease(for: item, in: ring)
            let removed: Bool?
            if let lease {
                removed = try remove(item) { ring, key throws(KeyringError) in try lease.remove(key, from: ring) }
                if removed != nil { try dropSentinels(of: item) }
                _ = lease.release()
            } else {
                removed = try remove(item) { ring, key throws(KeyringError) in
                    try ring.unlink(key)
                    return true
                }
                try dropSentinels(of: item)
            }
            if let removed { return removed }
        }
        throw SecretStoreError(.contended, item: item)
    }

    /// The item's lease; `nil` where the quota has no room for one, so that nobody else can take it either, and nobody
    /// has it.
    func affordableLease(for item: ItemIdentity, in ring: Keyring) throws(SecretStoreError) -> RingLease? {
        do throws(KeyringError) {
            do throws(KeyringError) {
                if let lease = try leases.acquireWaitingForQuota(for: item.keyDescription, in: ring) { return lease }
            } catch {
                guard error.code == .quotaExceeded, mayUseLastResorts else { throw error }
                if try leases.waitUntilFree(item.keyDescription, in: ring) { return nil }
            }
        } catch {
            throw SecretStoreError(error, item: item)
        }
        throw SecretStoreError(.contended, item: item)
    }
}
