import Glibc
import Keyutils

/// Removing empty rings, such as `clear` leaves, because each of them takes a key of the user's quota.
///
/// A process removes a ring in these steps. The words in parentheses state what remains if the process dies at
/// that step.
///
/// 1. *Mark*: the process gives the ring permissions that no other keyring has. (A ring that works as before.)
/// 2. *Restrict*: the process restricts the ring, so that it takes no more keys. A writer that the ring refuses makes a
///    new ring. (A ring that takes no keys.)
/// 3. *Look again*: if the ring is still empty, the process invalidates it. If a writer has added something since the
///    first look, the process replaces the ring with a new one that has the same members.
///
/// Removing an empty ring needs no room for any key. If the process dies after step 2, or if there isn't room for the
/// new ring, a ring remains that takes no keys. A writer can tell it by its permissions from a ring that somebody
/// restricted on purpose. The writer then completes step 3, once there is room.
extension NamespaceRings {
    /// Removes the scope's empty rings except this namespace's own, and returns how many it removed.
    func removeEmptyRings(_ effort: Effort) throws(SecretStoreError) -> Int {
        try inStoreTerms { () throws(KeyringError) -> Int in
            var count = 0
            for serial in try anchor.members() {
                guard let name = try nameOfEmptyRing(serial), name != itemsName else { continue }
                if try remove(Keyring(serial), named: name, effort) { count += 1 }
            }
            return count
        }
    }

    /// Completes the removal of an items' ring that takes no keys because another process was removing it.
    ///
    /// - Returns: false if somebody restricted the ring on purpose.
    func finishRemoval(_ ring: Keyring, _ effort: Effort) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            let key = try Key(ring).describe()
            guard try ring.isRestricted(), key.userID == geteuid(), key.permissions == removalPermissions else {
                return false
            }
            _ = try removeOrReplace(ring, named: itemsName, effort)
        } catch {
            // Another process has removed the ring.
            guard error.isKeyGoneOrRefused else { throw error }
        }
        return true
    }

    private func remove(_ ring: Keyring, named name: String, _ effort: Effort) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            let isRestricted = try ring.isRestricted()
            if try Key(ring).describe().permissions != removalPermissions {
                guard !isRestricted else { return false }
                try Key(ring).setPermissions(removalPermissions)
            }
            if !isRestricted { try ring.restrict() }
            return try removeOrReplace(ring, named: name, effort)
        } catch {
            // Another process is removing the ring or has removed it. Or the quota has no room for a new ring; then a
            // writer makes one later.
            guard error.isKeyGoneOrRefused || error.code == .alreadyExists || error.code == .quotaExceeded else {
                throw error
            }
            return false
        }
    }

    /// Removes the ring if it is empty, otherwise replaces it; true if it was removed.
    private func removeOrReplace(
        _ ring: Keyring, named name: String, _ effort: Effort
    ) throws(KeyringError) -> Bool {
        if try ring.members().isEmpty {
            try Key(ring).invalidate()
            return true
        }
        // A writer added something between the two looks. Keep it in a new ring that takes more keys.
        _ = try make(name, in: anchor, inPlaceOf: ring, effort)
        return false
    }

    /// The permissions of a ring that is being removed; no other keyring has them.
    ///
    /// They allow the owner the same operations as the usual permissions. If only possessors can use the ring, other
    /// sessions of the user can also see how many keys it has.
    private var removalPermissions: KeyPermissions {
        access == .possessor ? permissions.union(.userRead) : permissions.subtracting(.possessorView)
    }

    private func nameOfEmptyRing(_ serial: KeySerial) throws(KeyringError) -> String? {
        do throws(KeyringError) {
            let key = try Key(serial).describe()
            guard key.type == .keyring, key.userID == geteuid(),
                key.permissions == permissions || key.permissions == removalPermissions,
                Self.namespace(ofItemsName: key.name) != nil,
                try Keyring(serial).members().isEmpty
            else { return nil }
            return key.name
        } catch {
            // The ring is dead, or this process isn't allowed to look at it.
            guard error.isKeyGoneOrRefused else { throw error }
            return nil
        }
    }
}
