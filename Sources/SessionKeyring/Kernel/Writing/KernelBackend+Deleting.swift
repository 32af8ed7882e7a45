import Keyutils

extension KernelBackend {
    package func delete(_ item: ItemIdentity, _ attempt: inout BackendAttempt) throws(SecretStoreError) -> Bool {
        while true {
            let write = UnlockedWrite()
            if let leases = try rings.flaggedLeasesRing() { return try deleteUnderLease(item, in: leases, &attempt) }
            var isInTime = true
            // Unlinking acts by name: it removes the key that has the name at that moment. That is the meaning
            // of a delete.
            let removed = try remove(item) { ring, key throws(KeyringError) in
                guard write.mayBegin else { return false }
                try ring.unlink(key)
                isInTime = write.isInTime
                return true
            }
            guard var removed else { continue }
            removed = removed || attempt.progress?.isDeleted == true
            if isInTime { return removed }
            // This delete was late: an update that had read the item may have stored it again. So look for the
            // flag again.
            guard let leases = try rings.flaggedLeasesRing() else { return removed }
            let progress = attempt.makeProgress()
            (progress.isDeleted, progress.isVisible) = (removed, true)
            return try deleteUnderLease(item, in: leases, &attempt)
        }
    }

    private func deleteUnderLease(
        _ item: ItemIdentity, in ring: Keyring, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        for _ in 0..<SecondLooks.lostLeases {
            let lease = try leaseIfAffordable(of: item, in: ring, &attempt)
            let hasLease = lease != nil
            let removed = try remove(item) { ring, key throws(KeyringError) in
                if hasLease { return try lease?.remove(key, from: ring) ?? false }
                try ring.unlink(key)
                return true
            }
            if removed != nil { try dropSentinels(of: item) }
            _ = lease?.release()
            if let removed { return removed || attempt.progress?.isDeleted == true }
        }
        throw attempt.blocked(item)
    }

    /// Removes the item's key and returns whether it existed; `nil` if `unlink` refuses.
    func remove(
        _ item: ItemIdentity,
        unlink: (Keyring, Key) throws(KeyringError) -> Bool
    ) throws(SecretStoreError) -> Bool? {
        try withKey(of: item) { ring, key throws(KeyringError) -> Bool? in
            do throws(KeyringError) {
                return try unlink(ring, key) ? true : nil
            } catch {
                // Another process was faster.
                guard error.code == .notLinked else { throw error }
                return false
            }
        } ?? .some(false)
    }

    /// Takes the item's lease, if the quota has room for it.
    ///
    /// - Returns: the lease. As a last resort `nil`, if nobody holds the lease and the quota has no room for it, so
    ///   that nobody else can take it either.
    /// - Throws: ``SecretStoreError`` with `contended` if the attempt is blocked.
    func leaseIfAffordable(
        of item: ItemIdentity, in ring: Keyring, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> HeldLease? {
        do throws(KeyringError) {
            if let lease = try itemLeases.acquire(for: item.keyDescription, in: ring, &attempt) { return lease }
        } catch {
            guard error.code == .quotaExceeded, attempt.mayUseLastResorts else {
                throw SecretStoreError(error, item: item)
            }
            let isHeld = try inStoreTerms(item) { () throws(KeyringError) in
                try itemLeases.isHeld(item.keyDescription, in: ring)
            }
            if !isHeld { return nil }
            attempt.blockage = .itemLease
        }
        throw attempt.blocked(item)
    }
}
