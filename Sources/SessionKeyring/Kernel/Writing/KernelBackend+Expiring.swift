package import Keyutils

extension KernelBackend {
    package func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try .of { () throws(SecretStoreError) in
            guard let leases = try rings.flaggedLeasesRing() else { return try expirePlainly(item, timeout: timeout) }
            for _ in 0..<SecondLooks.lostLeases {
                let lease = try leaseIfAffordable(of: item, in: leases, effort)
                let isFound = try expirePlainly(item, timeout: timeout)
                // If somebody else took the lease in the meantime, this may have set the timeout of a key that is
                // already gone.
                if lease?.release() ?? true { return isFound }
            }
            throw SecretStoreError(.blocked(.itemLease), item: item)
        }
    }

    private func expirePlainly(_ item: ItemIdentity, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        try withKey(of: item) { _, key throws(KeyringError) in
            if let timeout { try key.setTimeout(timeout) } else { try key.removeTimeout() }
        } != nil
    }
}
