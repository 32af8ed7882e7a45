package import Keyutils

extension KernelBackend {
    package func expire(_ item: ItemIdentity, after timeout: KeyTimeout) throws(SecretStoreError) -> Bool {
        try changing { () throws(SecretStoreError) in
            try expireUnlocked(item, after: timeout)
        } underLease: { leases throws(SecretStoreError) in
            try expireUnderLease(item, after: timeout, leases: leases)
        }
    }

    package func remove(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try changing { () throws(SecretStoreError) in
            try removeUnlocked(item)
        } underLease: { leases throws(SecretStoreError) in
            try removeUnderLease(item, leases: leases)
        }
    }

    /// Changes what is there: without a lease, unless writers take turns; again under the lease where that came too late.
    ///
    /// - Returns: whether there was anything.
    private func changing(
        unlocked: () throws(SecretStoreError) -> Bool,
        underLease: (_ leases: Keyring) throws(SecretStoreError) -> Bool
    ) throws(SecretStoreError) -> Bool {
        let write = UnlockedWrite()
        if let leases = try rings.leasesIfFlagged() { return try underLease(leases) }
        let isChanged = try unlocked()
        guard !write.isInTime, let leases = try rings.leasesIfFlagged() else { return isChanged }
        let isChangedAgain = try underLease(leases)
        return isChanged || isChangedAgain
    }

    private func expireUnlocked(_ item: ItemIdentity, after timeout: KeyTimeout) throws(SecretStoreError) -> Bool {
        try withKey(of: item) { _, key throws(KeyringError) in try key.setTimeout(timeout) } != nil
    }

    private func expireUnderLease(
        _ item: ItemIdentity, after timeout: KeyTimeout, leases ring: Keyring
    ) throws(SecretStoreError) -> Bool {
        for _ in 0..<10 {
            let lease = try affordableLease(for: item, in: ring)
            let isFound = try expireUnlocked(item, after: timeout)
            // Had somebody else taken it meanwhile, the timeout might be that of a key which is gone.
            if lease?.release() ?? true { return isFound }
        }
        throw SecretStoreError(.contended, item: item)
    }

    private func removeUnlocked(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        // Unlinking goes by name: it removes what is there at that moment, which is what a delete is for.
        try remove(item) { ring, key throws(KeyringError) in
            try ring.unlink(key)
            return true
        } ?? false
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

    private func removeUnderLease(_ item: ItemIdentity, leases ring: Keyring) throws(SecretStoreError) -> Bool {
        for _ in 0..<10 {
            let lease = try affordableLease(for: item, in: ring)
            let removed: Bool?
            if let lease {
                removed = try remove(item) { ring, key throws(KeyringError) in try lease.remove(key, from: ring) }
                if removed != nil { try dropFetchSentinel(of: item) }
                _ = lease.release()
            } else {
                removed = try removeUnlocked(item)
                try dropFetchSentinel(of: item)
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
                let lease = try QuotaPatience.wait { () throws(KeyringError) in
                    try leases.acquire(for: item.keyDescription, in: ring)
                }
                if let lease { return lease }
            } catch {
                guard error.code == .quotaExceeded else { throw error }
                if try leases.waitUntilFree(item.keyDescription, in: ring) { return nil }
            }
        } catch {
            throw SecretStoreError(error, item: item)
        }
        throw SecretStoreError(.contended, item: item)
    }
}
