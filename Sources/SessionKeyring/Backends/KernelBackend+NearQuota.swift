import Glibc
import Keyutils

/// The last resort where the quota has no room for a new item beside the old one: writing over the old one in place.
///
/// The kernel clears the timeout when a payload is replaced in place, so a process killed in between would leave a secret
/// that never expires. Therefore the key gets the new timeout first and is then *marked*: its possessor's right to link
/// it, which nothing here needs, is taken away. A marked key without a timeout is what a killed writer left, and whoever
/// lists the items removes it. Killed before it writes, it leaves the old secret with the new timeout.
extension KernelBackend {
    func replaceNearQuota(_ publication: Publication, payload: RawSpan) throws(SecretStoreError) {
        _ = try reapExpired()
        for _ in 0..<8 {
            if try placeIfRoom(publication, payload: payload) { return }
            let isDone = try withKey(of: publication.item, type: publication.type) { ring, key throws(KeyringError) in
                do throws(KeyringError) {
                    return try overwriteInTurn(key, with: publication, payload: payload, in: ring)
                } catch {
                    // Another process has the lease, so it is about to change what is there.
                    guard error.code == .alreadyExists else { throw error }
                    usleep(1_000)
                    return false
                }
            }
            switch isDone {
            case true?: return
            case false?: continue
            case nil:
                // There is nothing to write over; but if it is gone only now, there is room.
                if try placeIfRoom(publication, payload: payload) { return }
                throw SecretStoreError(KeyringError(.quotaExceeded, in: .add), item: publication.item)
            }
        }
        throw SecretStoreError(.contended, item: publication.item)
    }

    private func placeIfRoom(_ publication: Publication, payload: RawSpan) throws(SecretStoreError) -> Bool {
        do throws(SecretStoreError) {
            try place(publication, payload: payload)
            return true
        } catch {
            guard error.underlying?.code == .quotaExceeded else { throw error }
            return false
        }
    }

    /// Writes over the key in the item's turn; false if another process replaced or removed it meanwhile.
    private func overwriteInTurn(
        _ key: Key,
        with publication: Publication,
        payload: RawSpan,
        in ring: Keyring
    ) throws(KeyringError) -> Bool {
        // Two that write in place at once must not mix one's secret with the other's timeout.
        let lease = try leases.acquireIfAffordable(for: publication.item.keyDescription)
        let isDone = try overwrite(key, with: publication, payload: payload, in: ring)
        _ = consume lease
        return isDone
    }

    /// Writes over the key; false if another process replaced or removed it meanwhile.
    func overwrite(
        _ key: Key,
        with publication: Publication,
        payload: RawSpan,
        in ring: Keyring
    ) throws(KeyringError) -> Bool {
        let name = publication.item.keyDescription
        let permissions = rings.scope.permissions
        let before = publication.timeout == nil ? nil : (try? KeyTable.snapshot())?[key.serial]?.expiry
        if let timeout = publication.timeout {
            try key.setTimeout(timeout)
            try key.setPermissions(permissions.subtracting(.possessorLink))
        }
        let written: Key
        do throws(KeyringError) {
            written = try ring.add(publication.type, name, payload: payload)
        } catch {
            if publication.timeout != nil {
                try key.setPermissions(permissions)
                try key.restore(before)
            }
            throw error
        }
        if let timeout = publication.timeout { try written.setTimeout(timeout) }
        try written.setPermissions(permissions)
        return written == key
    }

    /// Whether a listed key is what a process left that was killed while it wrote in place, and so would never expire:
    /// marked, or made anew with the kernel's own permissions because the old one vanished under the writer.
    ///
    /// A writer that is alive looks the same for some microseconds, so a key counts only if it still does a while later.
    func isLeftOver(_ key: Key) throws(KeyringError) -> Bool {
        guard try looksLeftOver(key) else { return false }
        usleep(100_000)
        return try looksLeftOver(key)
    }

    private func looksLeftOver(_ key: Key) throws(KeyringError) -> Bool {
        let permissions = try key.describe().permissions
        let marked = rings.scope.permissions.subtracting(.possessorLink)
        guard permissions == marked || permissions == [.possessorAll, .userView] else { return false }
        guard let entry = (try? KeyTable.snapshot())?[key.serial] else { return false }
        return entry.expiry == .never
    }

    /// Unlinks the namespace's expired items, which the kernel would charge for another five minutes, and returns how many
    /// there were.
    ///
    /// Unlinking goes by name, so each is done under the name's lease, which all take who write where no live item is. With
    /// the quota so full that no lease can be had, nobody else can take one either.
    func reapExpired() throws(SecretStoreError) -> Int {
        // Without /proc the names of dead keys are not to be had.
        guard let ring = try rings.findItems(), let table = try? KeyTable.snapshot() else { return 0 }
        try leases.sweep()
        var reaped = 0
        do throws(KeyringError) {
            for serial in try ring.members() {
                guard let entry = table[serial], entry.expiry == .expired else { continue }
                if try reap(Key(serial), named: entry.keyDescription, from: ring) { reaped += 1 }
            }
        } catch {
            throw SecretStoreError(error)
        }
        return reaped
    }

    private func reap(_ key: Key, named name: String, from ring: Keyring) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            let lease = try leases.acquireIfAffordable(for: name)
            let isDead = try ring.links(key) ? Self.isExpired(key) : false
            let isReaped = isDead ? try Self.unlink(key, from: ring) : false
            _ = consume lease
            return isReaped
        } catch {
            // Somebody else is at work on that very name.
            guard error.code == .alreadyExists else { throw error }
            return false
        }
    }

    private static func isExpired(_ key: Key) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            _ = try key.describe()
            return false
        } catch {
            return error.code == .expired
        }
    }

    /// Unlinks a dead key; false if it was gone already.
    private static func unlink(_ key: Key, from ring: Keyring) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            try ring.unlink(key)
            return true
        } catch {
            guard error.code == .notFound || error.code == .notLinked else { throw error }
            return false
        }
    }
}

extension KeyTable.Entry {
    /// The description alone: behind it, `/proc/keys` shows `: ` and the payload's size.
    fileprivate var keyDescription: String {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return text }
        return String(text[..<colon])
    }
}

extension Key {
    /// Gives the key the timeout that it had, as far as the kernel told it.
    fileprivate func restore(_ expiry: KeyTable.Entry.Expiry?) throws(KeyringError) {
        switch expiry {
        case .never: try removeTimeout()
        case .left(let left): try setTimeout(KeyTimeout(max(left.atLeast, .seconds(1))))
        case .expired, nil: return
        }
    }
}
