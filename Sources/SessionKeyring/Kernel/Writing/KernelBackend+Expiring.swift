package import Keyutils

extension KernelBackend {
    package func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        guard let leases = try rings.flaggedLeasesRing() else { return try expirePlainly(item, timeout: timeout) }
        return try expireUnderLease(item, timeout: timeout, in: leases, &attempt)
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
}
