package import Keyutils

extension KernelBackend {
    package func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        // An earlier attempt has come this far, and holds the item's lease.
        if attempt.progress?.update != nil { return try replaceToExpire(item, timeout: timeout, &attempt) }
        do throws(SecretStoreError) {
            if let leases = try rings.flaggedLeasesRing() {
                return try expireUnderLease(item, timeout: timeout, in: leases, &attempt)
            }
            return try expirePlainly(item, timeout: timeout)
        } catch {
            guard error.code == .forbidden, try isTimeoutFixed(of: item) else { throw error }
            return try replaceToExpire(item, timeout: timeout, &attempt)
        }
    }

    private func expirePlainly(_ item: ItemIdentity, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        try withKey(of: item) { _, key throws(KeyringError) in
            if let timeout { try key.setTimeout(timeout) } else { try key.removeTimeout() }
        } != nil
    }

    private func expireUnderLease(
        _ item: ItemIdentity, timeout: KeyTimeout?, in ring: Keyring, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        for _ in 0..<SecondLooks.lostLeases {
            let lease = try leaseIfAffordable(of: item, in: ring, &attempt)
            let isFound = try expirePlainly(item, timeout: timeout)
            // If somebody else took the lease in the meantime, this may have set the timeout of a key that is
            // already gone.
            if lease?.release() ?? true { return isFound }
        }
        throw attempt.blocked(item)
    }

    /// Returns whether another process finished an overwrite in place: see ``ItemLeases/finishOverwrite(_:of:)``.
    private func isTimeoutFixed(of item: ItemIdentity) throws(SecretStoreError) -> Bool {
        let permissions = try withKey(of: item) { _, key throws(KeyringError) in try key.describe().permissions }
        return permissions == rings.scope.permissions.withoutSettingAttributes
    }

    /// Replaces the item with a new key that holds the same secret.
    private func replaceToExpire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        var isFound = false
        try update(item, &attempt) { update, attempt throws(SecretStoreError) in
            var copy: SecretBytes?
            isFound = try update.read { bytes in copy = SecretBytes(copying: bytes) }
            guard let secret = copy else { return true }
            return try secret.withBytes { bytes throws(SecretStoreError) in
                try update.commit(bytes, timeout: timeout, &attempt)
            }
        }
        return isFound
    }
}
