package import Keyutils

/// Operations for programs in which one change takes several steps, such as `CredentialHelpers`.
extension SecretStore {
    /// Deletes the item if it holds exactly these bytes.
    ///
    /// The kernel makes sure that only an item with these bytes is deleted. This works on a full quota too. An update
    /// that read the item a microsecond before can still write, as after a ``clear()``.
    ///
    /// - Returns: false if the item is absent or holds other bytes.
    /// - Throws: ``SecretStoreError``.
    package func deleteUnchanged(
        _ item: ItemIdentity, _ secret: borrowing SecretBytes
    ) throws(SecretStoreError) -> Bool {
        try checkWrite(item)
        guard let sealing else { return try deleteUnchangedStored(item, secret) }
        var stored: SecretBytes?
        _ = try backend.read(item) { stored = SecretBytes(copying: $0) }
        guard let stored else { return false }
        let opened = try stored.withBytes { stored throws(SecretStoreError) in try sealing.opened(stored, of: item) }
        return opened.isEqual(to: secret) ? try deleteUnchangedStored(item, stored) : false
    }

    private func deleteUnchangedStored(
        _ item: ItemIdentity, _ stored: borrowing SecretBytes
    ) throws(SecretStoreError) -> Bool {
        var wait = Wait.freeingQuota()
        return try wait.run { effort throws(SecretStoreError) in
            try backend.delete(item, ifUnchanged: stored, effort)
        }
    }

    /// Runs `body` under the lease with that name, so that no two callers run it at the same time.
    ///
    /// If the lease was lost before `body` ended, `body` runs again, so it must be harmless to repeat. If the quota
    /// stays full, `body` runs without a lease.
    ///
    /// - Throws: the error of `body`; ``SecretStoreError`` with `contended` if others held the lease for ten seconds.
    package func holdingLease<Result>(
        _ name: String, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        var wait = Wait()
        for _ in 0..<SecondLooks.lostLeases {
            let lease: any LeaseHandle
            do throws(SecretStoreError) {
                lease = try wait.run { effort throws(SecretStoreError) in
                    try backend.takeLease(name, lasting: .seconds(2), effort)
                }
            } catch {
                guard error.code == .quotaExceeded else { throw error }
                return try body()
            }
            // The lease is also released if `body` throws.
            defer { _ = lease.release() }
            let result = try body()
            if lease.release() { return result }
        }
        throw SecretStoreError(.contended)
    }
}
