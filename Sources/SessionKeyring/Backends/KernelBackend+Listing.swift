import Keyutils

extension KernelBackend {
    package func identities() throws(SecretStoreError) -> [ItemIdentity] {
        try liveMembers().map(\.item)
    }

    package func attributes() throws(SecretStoreError) -> [ItemAttributes] {
        try leases.sweep()
        var list: [ItemAttributes] = []
        var (looks, items) = try looksAtMembers()
        // An item that is replaced before the table is read is looked at again, a few times.
        for round in 0..<6 where !looks.isEmpty || !items.isEmpty {
            for item in items {
                if let look = try look(at: item) { looks.append(look) }
            }
            // Where /proc is hidden, or hides a key, the list still stands, with unknown expiry.
            let table = try? KeyTable.snapshot()
            items = []
            for look in looks {
                let entry = table?[look.key.serial]
                if entry == nil, table != nil, round < 5 {
                    items.append(look.item)
                } else if try !removeIfLeftOver(look) {
                    list.append(ItemAttributes(look, expiry: ItemAttributes.Expiry(entry?.expiry)))
                }
            }
            looks = []
        }
        return list
    }

    fileprivate struct Look {
        let item: ItemIdentity
        let key: Key
        let description: KeyDescription
        let size: Int
    }

    /// A look at each live item, sparing the search for it, and those that were replaced or died before that.
    private func looksAtMembers() throws(SecretStoreError) -> (looks: [Look], missed: [ItemIdentity]) {
        let members = try liveMembers()
        var looks: [Look] = []
        var missed: [ItemIdentity] = []
        looks.reserveCapacity(members.count)
        for member in members {
            do throws(KeyringError) {
                looks.append(try Self.look(at: member.item, in: member.key, described: member.description))
            } catch {
                guard error.isOfKeyGoneMeanwhile else { throw SecretStoreError(error, item: member.item) }
                missed.append(member.item)
            }
        }
        return (looks, missed)
    }

    private func look(at item: ItemIdentity) throws(SecretStoreError) -> Look? {
        try withKey(of: item) { _, key throws(KeyringError) in
            try Self.look(at: item, in: key, described: try key.describe())
        }
    }

    private static func look(
        at item: ItemIdentity, in key: Key, described description: KeyDescription
    ) throws(KeyringError) -> Look {
        let size = try key.withPayload { StoredForm.secretSize($0) }
        return Look(item: item, key: key, description: description, size: size)
    }

    private func removeIfLeftOver(_ look: Look) throws(SecretStoreError) -> Bool {
        guard look.description.permissions != rings.scope.permissions else { return false }
        do throws(KeyringError) {
            guard try isLeftOver(look.key) else { return false }
            try look.key.invalidate()
            return true
        } catch {
            // It was replaced or removed while we looked.
            guard error.isOfKeyGoneMeanwhile else { throw SecretStoreError(error, item: look.item) }
            return false
        }
    }

    /// Which keys hold the live items.
    func serials() throws(SecretStoreError) -> [KeySerial: ItemIdentity] {
        Dictionary(uniqueKeysWithValues: try liveMembers().map { ($0.key.serial, $0.item) })
    }

    private struct Member {
        let item: ItemIdentity
        let key: Key
        let description: KeyDescription
    }

    /// The ring's live items and their keys, each item once.
    ///
    /// Dead keys and keys that other programs put there are passed over.
    /// The ring is listed again while keys vanish between the listing and the look at them: their successors, of the same
    /// names, were not in it.
    private func liveMembers() throws(SecretStoreError) -> [Member] {
        var found: [Member] = []
        for round in 0..<20 {
            guard let ring = try rings.findItems() else { return [] }
            do throws(KeyringError) {
                if try note(ring, in: &found) {
                    // Within a ring, type and name are unique.
                    return round == 0 && !ItemTypes.haveBigKeys ? found : Self.unique(found)
                }
            } catch {
                throw SecretStoreError(error)
            }
        }
        return Self.unique(found)
    }

    /// Adds the ring's live items; false if one of them vanished meanwhile.
    private func note(_ ring: Keyring, in found: inout [Member]) throws(KeyringError) -> Bool {
        var isComplete = true
        let serials = try ring.members()
        found.reserveCapacity(found.count + serials.count)
        for serial in serials {
            do throws(KeyringError) {
                let key = Key(serial)
                let description = try key.describe()
                guard ItemTypes.all.contains(description.type), description.isExact,
                    let item = ItemIdentity(keyDescription: description.name)
                else { continue }
                found.append(Member(item: item, key: key, description: description))
            } catch {
                guard error.isOfKeyGoneMeanwhile else { throw error }
                if error.code != .expired { isComplete = false }
            }
        }
        return isComplete
    }

    /// Where an item is there as both types for a moment, the one that readers see counts; of several looks, the last.
    private static func unique(_ members: [Member]) -> [Member] {
        var found: [ItemIdentity: Member] = [:]
        for member in members where found[member.item] == nil || member.description.type == .user {
            found[member.item] = member
        }
        return Array(found.values)
    }
}

extension KeyringError {
    /// Whether a key that was a member a moment ago has died or been displaced since.
    fileprivate var isOfKeyGoneMeanwhile: Bool {
        switch code {
        case .notFound, .expired, .revoked, .accessDenied: true
        default: false
        }
    }
}

extension ItemAttributes {
    fileprivate init(_ look: KernelBackend.Look, expiry: Expiry) {
        self.init(
            item: look.item, size: look.size, expiry: expiry, serial: look.key.serial,
            userID: look.description.userID, groupID: look.description.groupID,
            permissions: look.description.permissions
        )
    }
}

extension ItemAttributes.Expiry {
    fileprivate init(_ entry: KeyTable.Entry.Expiry?) {
        switch entry {
        case .never: self = .never
        case .left(let time): self = .after(time)
        // One that has expired since it was described is about to be passed over.
        case .expired, nil: self = .unknown
        }
    }
}
