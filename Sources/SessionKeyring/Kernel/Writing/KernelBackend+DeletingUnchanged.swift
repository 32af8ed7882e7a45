import Keyutils

/// Deleting an item only if it still holds what the caller has seen.
///
/// Invalidating a key acts on exactly that key, unlike unlinking, which acts by name: it never removes a successor. A
/// payload can only be replaced in place if the key may be written to, so that is forbidden before the last look:
///
/// 1. *Look*: the key is found and its payload compared. (If the process dies here: nothing has changed.)
/// 2. *Seal*: nobody may write to the key any more. (An item that is read, replaced, expired and deleted as before, and that
///    a set on a full quota does not write over.)
/// 3. *Look again*; what was written in place between the two steps is left alone, and the seal is removed. (The same.)
/// 4. *Invalidate*.
///
/// None of these steps needs quota. In a namespace with the update flag the item's lease is held meanwhile, as for every
/// delete, if the quota has room for one. No flag is raised.
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

    /// Forbids to write to the key; false for a key that the store would never write over in place.
    private func seal(_ key: Key) throws(KeyringError) -> Bool {
        let permissions = rings.scope.permissions
        guard try key.describe().permissions == permissions else { return false }
        do throws(KeyringError) {
            try key.setPermissions(permissions.subtracting([.possessorWrite, .userWrite, .groupWrite, .otherWrite]))
            return true
        } catch {
            // Another user's key in a shared session.
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
