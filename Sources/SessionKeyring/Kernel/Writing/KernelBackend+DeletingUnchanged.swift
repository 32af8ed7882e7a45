package import Keyutils

extension KernelBackend {
    /// Deletes the item only if it still holds the value that the caller saw.
    ///
    /// Unlinking a key acts by name, so it can remove a successor. Invalidating acts on exactly the key whose payload
    /// was compared, and needs no quota. In a namespace with the update flag, the process holds the item's lease during
    /// both steps, as for every delete, if the quota has room for one. It does not raise the flag.
    package func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try .of { () throws(SecretStoreError) in
            guard let leases = try rings.flaggedLeasesRing() else { return try invalidate(item, ifUnchanged: secret) }
            let lease = try leaseIfAffordable(of: item, in: leases, effort)
            let isDeleted = try invalidate(item, ifUnchanged: secret)
            let hasLease = lease != nil
            if isDeleted {
                try dropHidden(of: item) { key, ring throws(KeyringError) in
                    if hasLease { try lease?.drop(key, from: ring) } else { try ring.unlink(key) }
                }
            }
            _ = lease?.release()
            return isDeleted
        }
    }

    private func invalidate(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes
    ) throws(SecretStoreError) -> Bool {
        let isDeleted = try withKey(of: item) { _, key throws(KeyringError) in
            let isUnchanged = try key.withPayload { payload in
                SecretBytes(copying: payload.extracting(first: PayloadEncoding.secretSize(payload))).isEqual(to: secret)
            }
            if isUnchanged { try key.invalidate() }
            return isUnchanged
        }
        return isDeleted ?? false
    }
}
