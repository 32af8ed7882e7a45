package import Keyutils

/// For programs whose one change takes several steps: `CredentialHelpers`.
extension SecretStore {
    /// Deletes the item if it holds exactly these bytes; false if it is absent or holds others.
    ///
    /// Decided by the kernel, and done on a full quota too. An update that has read the item a microsecond before may still
    /// write, as after a ``clear()``.
    ///
    /// - Throws: ``SecretStoreError``.
    package func deleteUnchanged(
        _ item: ItemIdentity, _ secret: borrowing SecretBytes
    ) throws(SecretStoreError) -> Bool {
        try checkWrite(item)
        var wait = Wait.freeingQuota()
        return try wait.run { attempt throws(SecretStoreError) in
            if let backend = backend as? KernelBackend {
                return try backend.delete(item, ifUnchanged: secret, &attempt)
            }
            var isUnchanged = false
            try backend.update(item, &attempt) { update, attempt throws(SecretStoreError) in
                isUnchanged = false
                _ = try update.read { bytes in isUnchanged = SecretBytes(copying: bytes).isEqual(to: secret) }
                return try isUnchanged ? update.commit(nil, timeout: nil, &attempt) : true
            }
            return isUnchanged
        }
    }

    /// Runs `body` under the lease of that name, so that no two callers do at the same time.
    ///
    /// `body` runs again if the lease was lost before its end, so it must be harmless to repeat. If the quota stays full, it
    /// runs without a lease.
    ///
    /// - Throws: what `body` throws; ``SecretStoreError`` with `contended` if others held the lease for ten seconds.
    package func holdingLease<Result>(
        _ name: String, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        var wait = Wait(at: backend)
        for _ in 0..<SecondLooks.lostLeases {
            let lease: any LeaseHandle
            do throws(SecretStoreError) {
                lease = try wait.run { attempt throws(SecretStoreError) in
                    try backend.takeLease(name, lasting: Self.updateDuration, &attempt)
                }
            } catch {
                guard error.code == .quotaExceeded else { throw error }
                return try body()
            }
            // Also if `body` throws.
            defer { _ = lease.release() }
            let result = try body()
            if lease.release() { return result }
        }
        throw SecretStoreError(.contended)
    }
}
