import Keyutils

extension KernelBackend {
    package func identities() throws(SecretStoreError) -> [ItemIdentity] {
        try describedMembers().map(\.item)
    }

    package func attributes() throws(SecretStoreError) -> [ItemAttributes] {
        try leases.sweep()
        let members = try describedMembers()
        // Where /proc is hidden the list still stands, with unknown expiry.
        let table = members.isEmpty ? nil : try? KeyTable.snapshot()
        var list: [ItemAttributes] = []
        for member in members {
            let expiry = ItemAttributes.Expiry(table?[member.key.serial]?.expiry)
            let permissions = member.description.permissions
            do throws(KeyringError) {
                if isLeftOver(permissions, expiry) {
                    try member.key.invalidate()
                    continue
                }
                let size = try member.key.withPayload { StoredForm.secretSize($0) }
                list.append(
                    ItemAttributes(
                        item: member.item, size: size, expiry: expiry, serial: member.key.serial,
                        userID: member.description.userID, groupID: member.description.groupID, permissions: permissions
                    )
                )
            } catch {
                guard error.isOfKeyGoneMeanwhile else { throw SecretStoreError(error, item: member.item) }
            }
        }
        return list
    }

    private typealias Member = (item: ItemIdentity, key: Key, description: KeyDescription)

    /// The ring's live items.
    ///
    /// Dead keys and keys that other programs put there are passed over.
    private func describedMembers() throws(SecretStoreError) -> [Member] {
        guard let ring = try rings.findItems() else { return [] }
        var found: [ItemIdentity: Member] = [:]
        do throws(KeyringError) {
            for serial in try ring.members() {
                guard let member = try describe(Key(serial)) else { continue }
                // Where an item is there as both types for a moment, the one that readers see counts.
                if found[member.item] == nil || member.description.type == .user { found[member.item] = member }
            }
        } catch {
            throw SecretStoreError(error)
        }
        return Array(found.values)
    }

    private func describe(_ key: Key) throws(KeyringError) -> Member? {
        do throws(KeyringError) {
            let description = try key.describe()
            guard ItemTypes.all.contains(description.type), description.isExact,
                let item = ItemIdentity(keyDescription: description.name)
            else { return nil }
            return (item, key, description)
        } catch {
            guard error.isOfKeyGoneMeanwhile else { throw error }
            return nil
        }
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
