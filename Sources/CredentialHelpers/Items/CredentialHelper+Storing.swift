import Keyutils
import SecretText
import SessionKeyring

extension CredentialHelper {
    /// Stores a client's secret, unless the client would already find the same secret with the same fields.
    ///
    /// If an item already has them, it keeps its timeout, unless the new timeout is shorter.
    ///
    /// - Parameters:
    ///   - fields: the fields besides the secret; if there are any, the item is of the kind `credential`.
    ///   - kind: the kind of an item without fields.
    ///   - owner: the owner of the item; only items of this owner are looked at and replaced.
    /// - Returns: false if another client has an item of the kind `credential` with that name, which stays unchanged.
    @discardableResult
    func store(
        _ secret: SecretBox, _ fields: CredentialFields, service: String, account: String,
        as kind: ItemIdentity.Kind = .internet, of owner: ItemOwner = .others
    ) throws(SecretStoreError) -> Bool {
        // git stores a secret again after each use. This common case takes no lease.
        if try hasFirst(service: service, account: account, of: owner, holding: secret, fields) { return true }
        return try items.takingTurns(at: service) { () throws(SecretStoreError) in
            try replace(secret, fields, service: service, account: account, as: kind, of: owner)
        }
    }

    /// Returns whether the first item that a client finds under this name holds exactly this secret and these fields.
    private func hasFirst(
        service: String, account: String, of owner: ItemOwner, holding secret: SecretBox, _ fields: CredentialFields
    ) throws(SecretStoreError) -> Bool {
        for kind in ItemIdentity.Kind.ofSecrets {
            let item = ItemIdentity(kind, service: service, account: account)
            guard let bytes = try items.get(item) else { continue }
            let record = CredentialRecord(SecretBox(bytes), of: item)
            guard owner.has(item, record) else { continue }
            return try isSame(record, of: item, secret, fields)
        }
        return false
    }

    /// Returns whether the item holds exactly this secret and these fields; if so, shortens its timeout if necessary.
    private func isSame(
        _ record: CredentialRecord?, of item: ItemIdentity, _ secret: SecretBox, _ fields: CredentialFields
    ) throws(SecretStoreError) -> Bool {
        guard let record, record.says(secret, fields, at: now) else { return false }
        let end = record.refreshToken == nil ? fields.expires : nil
        // If the helper has no timeout, a record already ends at its own expiry.
        if timeout != nil || end != record.expires { try shorten(item, until: end) }
        return true
    }

    /// Does the work of `store`; call it only inside of `takingTurns`.
    ///
    /// The same name can have items of several kinds, so this changes up to three items. Callers for the same service
    /// take turns, so that one item remains. The new item is stored before the others are deleted, so that one of them
    /// exists at any time. An item that another process has changed in the meantime is not deleted.
    func replace(
        _ secret: SecretBox, _ fields: CredentialFields, service: String, account: String,
        as kind: ItemIdentity.Kind, of owner: ItemOwner
    ) throws(SecretStoreError) -> Bool {
        let item = ItemIdentity(fields.isEmpty ? kind : .credential, service: service, account: account)
        // The new record must not replace another owner's.
        if item.kind == .credential, let record = try credential(item), !owner.has(item, record) { return false }
        var others: [(item: ItemIdentity, payload: SecretBox)] = []
        var (isFirst, isStored) = (true, false)
        for kind in ItemIdentity.Kind.ofSecrets {
            let name = ItemIdentity(kind, service: service, account: account)
            guard let bytes = try items.get(name) else { continue }
            let payload = SecretBox(bytes)
            let record = CredentialRecord(payload, of: name)
            guard owner.has(name, record) else { continue }
            let isSame = try isFirst ? isSame(record, of: name, secret, fields) : false
            if isSame, name != item { return true }
            // After a lost lease, `takingTurns` runs this again. The secret is then already stored, but the items to
            // delete might remain.
            if isSame { isStored = true }
            isFirst = false
            if name != item { others.append((name, payload)) }
        }
        if !isStored {
            let isRecord = item.kind == .credential
            let payload = isRecord ? SecretBox(CredentialRecord.encode(secret, fields)) : secret
            try items.set(payload.bytes, for: item, timeout: timeout(until: fields.end))
        }
        // Delete the other kinds: clients would find some of them before the new item, and never find the rest.
        for (other, before) in others { try items.delete(other, ifUnchanged: before.bytes) }
        return true
    }
}
