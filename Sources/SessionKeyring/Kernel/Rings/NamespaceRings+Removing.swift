import Glibc
import Keyutils

/// Empty rings, such as `clear` leaves, each of which keeps a key of the user's quota.
///
/// A ring that is about to be given back gets permissions that no other keyring has, is restricted, looked at once more, and
/// invalidated if it is empty still; a writer that is turned down there makes a new one. That needs no room for any key. If
/// something came in between the two looks, or this process dies behind the restriction, the ring takes nothing any more. By
/// its permissions a writer tells it from one that somebody restricted on purpose, and puts a new ring with what is in it in
/// its place, once there is room for one.
extension NamespaceRings {
    /// Removes the scope's empty rings but this namespace's own, and returns how many there were.
    func removeEmptyRings(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> Int {
        var count = 0
        do throws(KeyringError) {
            for serial in try anchor.members() {
                guard let name = try nameOfEmptyRing(serial), !name.utf8.elementsEqual(itemsName.utf8) else { continue }
                if try remove(Keyring(serial), named: name, &attempt) { count += 1 }
            }
        } catch {
            throw SecretStoreError(error)
        }
        return count
    }

    /// Gets the items' ring out of the way where it takes nothing because somebody was giving it back; false where it was
    /// restricted by somebody who meant it.
    func finishRemoval(_ ring: Keyring, _ attempt: inout BackendAttempt) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            let key = try Key(ring).describe()
            guard try ring.isRestricted(), key.userID == geteuid(), key.permissions == removalPermissions else {
                return false
            }
            _ = try removeOrReplace(ring, named: itemsName, &attempt)
        } catch {
            // Somebody else has removed it.
            guard error.isKeyGoneOrRefused else { throw error }
        }
        return true
    }

    private func remove(_ ring: Keyring, named name: String, _ attempt: inout BackendAttempt) throws(KeyringError)
        -> Bool
    {
        do throws(KeyringError) {
            let isRestricted = try ring.isRestricted()
            if try Key(ring).describe().permissions != removalPermissions {
                guard !isRestricted else { return false }
                try Key(ring).setPermissions(removalPermissions)
            }
            if !isRestricted { try ring.restrict() }
            return try removeOrReplace(ring, named: name, &attempt)
        } catch {
            // Another process is at it, or has removed it; or there is no room for a new one, which a writer makes later.
            guard error.isKeyGoneOrRefused || error.code == .alreadyExists || error.code == .quotaExceeded else {
                throw error
            }
            return false
        }
    }

    /// True if it was empty and is gone.
    private func removeOrReplace(_ ring: Keyring, named name: String, _ attempt: inout BackendAttempt)
        throws(KeyringError) -> Bool
    {
        if try ring.members().isEmpty {
            try Key(ring).invalidate()
            return true
        }
        // Something came in between the two looks: it goes on living in a ring that takes more.
        _ = try make(name, in: anchor, inPlaceOf: ring, &attempt)
        return false
    }

    /// The permissions of a ring that is being given back, which no keyring has otherwise: they allow its owner what the usual
    /// ones do, and where only possessors reach it, other sessions of the user may see how many keys it has.
    private var removalPermissions: KeyPermissions {
        scope.access == .possessor ? scope.permissions.union(.userRead) : scope.permissions.subtracting(.possessorView)
    }

    private func nameOfEmptyRing(_ serial: KeySerial) throws(KeyringError) -> String? {
        do throws(KeyringError) {
            let key = try Key(serial).describe()
            guard key.type == .keyring, key.userID == geteuid(),
                key.permissions == scope.permissions || key.permissions == removalPermissions,
                Self.namespace(ofItemsName: key.name) != nil,
                try Keyring(serial).members().isEmpty
            else { return nil }
            return key.name
        } catch {
            // Dead, or not for us to look at.
            guard error.isKeyGoneOrRefused else { throw error }
            return nil
        }
    }
}
