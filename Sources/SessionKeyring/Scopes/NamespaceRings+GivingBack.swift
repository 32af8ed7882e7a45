import Glibc
import Keyutils

/// Empty rings, such as `clear` leaves, each of which keeps a key of the user's quota.
extension NamespaceRings {
    /// Removes the scope's empty rings but this namespace's own, and returns how many there were.
    ///
    /// A ring is restricted before the second look, so that nothing gets in behind it; a writer that is turned down there
    /// makes a new one. That needs no room for any key. (A process that dies behind the restriction leaves an empty ring that
    /// takes nothing, which the next writer removes.)
    func giveBackEmptyRings() throws(SecretStoreError) -> Int {
        var count = 0
        do throws(KeyringError) {
            for serial in try anchor.members() {
                guard let name = try nameOfEmptyRing(serial), !name.utf8.elementsEqual(itemsName.utf8) else { continue }
                if try giveBack(Keyring(serial), named: name) { count += 1 }
            }
        } catch {
            throw SecretStoreError(error)
        }
        return count
    }

    /// Removes a restricted ring that is empty; false if it is not.
    func removeIfRestrictedAndEmpty(_ ring: Keyring) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            guard try ring.isRestricted(), try ring.members().isEmpty else { return false }
            try Key(ring).invalidate()
        } catch {
            // Somebody else has removed it.
            guard error.isAboutDeadKey else { throw error }
        }
        return true
    }

    private func giveBack(_ ring: Keyring, named name: String) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            try ring.restrict()
            if try ring.members().isEmpty {
                try Key(ring).invalidate()
                return true
            }
            // Something came in between the two looks: it goes on living in a ring that takes more.
            _ = try make(name, in: anchor, inPlaceOf: ring)
        } catch {
            // Another process is at it, or has removed it.
            guard error.isAboutDeadKey || error.code == .alreadyExists else { throw error }
        }
        return false
    }

    private func nameOfEmptyRing(_ serial: KeySerial) throws(KeyringError) -> String? {
        do throws(KeyringError) {
            let key = try Key(serial).describe()
            let start = "skr:"
            guard key.type == .keyring, key.userID == geteuid(), key.permissions == scope.permissions,
                key.name.utf8.starts(with: start.utf8),
                PercentCoding.decode(key.name.dropFirst(start.count)) != nil,
                try Keyring(serial).members().isEmpty
            else { return nil }
            return key.name
        } catch {
            // Dead, or not for us to look at.
            guard error.isAboutDeadKey else { throw error }
            return nil
        }
    }
}
