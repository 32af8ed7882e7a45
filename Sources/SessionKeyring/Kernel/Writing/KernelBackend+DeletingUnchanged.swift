import Keyutils

/// Deleting an item only if it still holds the value that the caller saw.
///
/// Unlinking a key acts by name, so it can remove a successor. Invalidating a key acts on exactly that key. Its payload
/// can still be overwritten in place, but only while the key can be written to. So the process forbids writing before
/// its last look. The words in parentheses state what remains if the process dies at that step.
///
/// 1. *Look*: the process finds the key and compares its payload. (The item, unchanged.)
/// 2. *Seal*: the process forbids writing to the key. (An item that can be read, replaced, expired and deleted as
///    before, but that a set on a full quota does not overwrite.)
/// 3. *Look again*: if somebody has overwritten the payload between steps 1 and 2, the process keeps the key and
///    removes the seal. (The same as in step 2.)
/// 4. *Invalidate*: otherwise, the process invalidates the key.
///
/// None of these steps needs quota. In a namespace with the update flag, the process holds the item's lease during all
/// steps, as for every delete, if the quota has room for one. It does not raise the flag.
extension KernelBackend {
    func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        guard let leases = try rings.flaggedLeasesRing() else { return try invalidate(item, ifUnchanged: secret) }
        let lease = try leaseIfAffordable(of: item, in: leases, &attempt)
        let isDeleted = try invalidate(item, ifUnchanged: secret)
        if isDeleted { try dropSentinels(of: item) }
        _ = lease?.release()
        return isDeleted
    }

    private func invalidate(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes
    ) throws(SecretStoreError) -> Bool {
        let isDeleted = try withKey(of: item) { _, key throws(KeyringError) in
            guard try key.holds(secret) else { return false }
            let isSealed = try seal(key)
            if try key.holds(secret) {
                try key.invalidate()
                return true
            }
            if isSealed { try key.setPermissions(rings.scope.permissions) }
            return false
        }
        return isDeleted ?? false
    }

    /// Forbids writing to the key; false if this is a key that the store would never overwrite in place.
    private func seal(_ key: Key) throws(KeyringError) -> Bool {
        let permissions = rings.scope.permissions
        guard try key.describe().permissions == permissions else { return false }
        do throws(KeyringError) {
            try key.setPermissions(permissions.subtracting([.possessorWrite, .userWrite, .groupWrite, .otherWrite]))
            return true
        } catch {
            // The key of another user in a shared session.
            guard error.code == .accessDenied else { throw error }
            return false
        }
    }
}

extension Key {
    fileprivate func holds(_ secret: borrowing SecretBytes) throws(KeyringError) -> Bool {
        try withPayload { payload in
            SecretBytes(copying: payload.extracting(first: PayloadEncoding.secretSize(payload))).isEqual(to: secret)
        }
    }
}
