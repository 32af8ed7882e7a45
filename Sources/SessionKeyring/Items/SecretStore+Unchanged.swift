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
        if let backend = backend as? KernelBackend { return try backend.delete(item, ifUnchanged: secret) }
        let update = try beginUpdate(of: item, lasting: Self.updateDuration, waiting: RetryBudget.heldLease)
        while true {
            var isUnchanged = false
            _ = try update.read { bytes in isUnchanged = SecretBytes(copying: bytes).isEqual(to: secret) }
            guard isUnchanged else { return false }
            if try update.commit(nil, timeout: nil) { return true }
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
        var wait = DeadlineWait(RetryBudget.heldLease, backoff: .short)
        var quotaWait = QuotaWait(backoff: .long)
        let backend = backend.withoutWaiting(lastResorts: false)
        repeat {
            let lease: (any LeaseHandle)?
            do throws(SecretStoreError) {
                lease = try backend.tryLease(name, lasting: Self.updateDuration)
            } catch {
                switch error.code {
                case .quotaExceeded where !quotaWait.wait(): return try body()
                case .quotaExceeded, .contended: continue
                default: throw error
                }
            }
            guard let lease else { continue }
            // Also if `body` throws.
            defer { _ = lease.release() }
            let result = try body()
            if lease.release() { return result }
        } while wait.wait()
        throw SecretStoreError(.contended)
    }
}
