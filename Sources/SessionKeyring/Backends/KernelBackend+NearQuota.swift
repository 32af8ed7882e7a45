import Keyutils

/// The last resort where the quota has no room for a new item beside the old one: writing over the old one in place.
///
/// The kernel clears the timeout when a payload is replaced in place, so a process killed in between would leave a secret
/// that never expires. Therefore the key is *marked* meanwhile: its possessor's right to link it, which nothing here
/// needs, is taken away. A marked key without a timeout is such a left-over, and whoever lists the items removes it.
extension KernelBackend {
    func replaceNearQuota(_ publication: Publication, payload: RawSpan) throws(SecretStoreError) {
        let item = publication.item
        if try reapExpired() > 0 {
            var hasRoom = true
            try withPair(for: item) { pair throws(KeyringError) in
                do throws(KeyringError) {
                    try place(publication, payload: payload, in: pair.items)
                } catch {
                    guard error.code == .quotaExceeded else { throw error }
                    hasRoom = false
                }
            }
            if hasRoom { return }
        }
        for _ in 0..<8 {
            let done = try withKey(of: item, type: publication.type) { ring, key throws(KeyringError) in
                try overwrite(key, with: publication, payload: payload, in: ring)
            }
            guard let done else { throw SecretStoreError(KeyringError(.quotaExceeded, in: .add), item: item) }
            if done { return }
        }
        throw SecretStoreError(.contended, item: item)
    }

    /// Writes over the key; false if another process replaced or removed it meanwhile.
    private func overwrite(
        _ key: Key,
        with publication: Publication,
        payload: RawSpan,
        in ring: Keyring
    ) throws(KeyringError) -> Bool {
        let permissions = rings.scope.permissions
        if publication.timeout != nil { try key.setPermissions(permissions.subtracting(.possessorLink)) }
        let written: Key
        do throws(KeyringError) {
            written = try ring.add(publication.type, publication.item.keyDescription, payload: payload)
        } catch {
            if publication.timeout != nil { try key.setPermissions(permissions) }
            throw error
        }
        if let timeout = publication.timeout { try written.setTimeout(timeout) }
        try written.setPermissions(permissions)
        return written == key
    }

    /// Whether a listed key is what a process left that was killed while it wrote in place, and so would never expire.
    func isLeftOver(_ permissions: KeyPermissions, _ expiry: ItemAttributes.Expiry) -> Bool {
        expiry == .never && permissions == rings.scope.permissions.subtracting(.possessorLink)
    }

    /// Unlinks the namespace's expired items, which the kernel would charge for another five minutes, and returns how many
    /// there were.
    ///
    /// Unlinking goes by name, so each is done under the name's lease: a process that replaces the dead item at the same
    /// moment sees the lease and writes again. With the quota so full that no lease can be had, that can't be: then the
    /// key is looked at once more, right before it is unlinked.
    func reapExpired() throws(SecretStoreError) -> Int {
        guard let ring = try rings.findItems() else { return 0 }
        var reaped = 0
        do throws(KeyringError) {
            let table = try KeyTable.snapshot()
            for serial in try ring.members() {
                guard let entry = table[serial], entry.expiry == .expired else { continue }
                let lease = try leases.acquireIfAffordable(forKeyDescription: entry.keyDescription)
                guard try ring.links(Key(serial)), try Self.isExpired(Key(serial)) else { continue }
                if try Self.unlink(Key(serial), from: ring) { reaped += 1 }
                _ = consume lease
            }
        } catch {
            throw SecretStoreError(error)
        }
        return reaped
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
