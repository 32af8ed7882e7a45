import Keyutils
import SessionKeyring

/// Finds items by their names, among all kinds.
extension CredentialHelper {
    /// Returns the contents of the item of this name, unless it is git's or docker's; `nil` if it is absent.
    ///
    /// A secret that has expired counts as absent, even if its item still exists.
    func credential(service: String, account: String = "") throws(SecretStoreError) -> CredentialRecord? {
        try namedCredential(service: service, account: account)?.credential
    }

    /// Returns the same, with the item that holds it.
    func namedCredential(
        service: String, account: String = ""
    ) throws(SecretStoreError) -> (item: ItemIdentity, credential: CredentialRecord)? {
        try lookingAgain { look throws(SecretStoreError) -> (item: ItemIdentity, credential: CredentialRecord)? in
            look.isByName = true
            for kind in ItemIdentity.Kind.ofSecrets {
                let item = ItemIdentity(kind, service: service, account: account)
                if let found = try look.liveCredential(item), ItemOwner.others.has(item, found) { return (item, found) }
            }
            return nil
        }
    }

    /// Returns the secret of a service, with its account.
    ///
    /// Without `account`, an item that has no account comes first, and then the first item by name.
    func credential(
        service: String, ofAny account: String?
    ) throws(SecretStoreError) -> (account: String, credential: CredentialRecord)? {
        if let found = try credential(service: service, account: account ?? "") { return (account ?? "", found) }
        guard account == nil else { return nil }
        return try lookingAgain { look throws(SecretStoreError) -> (account: String, credential: CredentialRecord)? in
            for item in try items.identities().secrets(where: {
                $0.service == service && !$0.account.isEmpty
            }) {
                if let found = try look.liveCredential(item), ItemOwner.others.has(item, found) {
                    return (item.account, found)
                }
            }
            return nil
        }
    }

    /// Deletes the items of all kinds that a client would find under this name; false if nothing was deleted.
    func delete(service: String, account: String = "") throws(SecretStoreError) -> Bool {
        let isDeleted = try lookingAgain { look throws(SecretStoreError) -> Bool? in
            look.isByName = true
            var isDeleted = false
            for kind in ItemIdentity.Kind.ofSecrets {
                let item = ItemIdentity(kind, service: service, account: account)
                if try delete(item, of: .others) { isDeleted = true }
            }
            return isDeleted ? true : nil
        }
        return isDeleted ?? false
    }

    /// Deletes an item that belongs to this owner; false if it is absent or belongs to another owner.
    @discardableResult
    func delete(_ item: ItemIdentity, of owner: ItemOwner) throws(SecretStoreError) -> Bool {
        guard item.kind == .credential else { return try owner.has(item, nil) ? items.delete(item) : false }
        guard let record = try credential(item), owner.has(item, record) else { return false }
        return try items.delete(item, ifUnchanged: record.payload.bytes)
    }

    /// Returns an item's contents; `nil` if it is absent, or has expired although the item still exists.
    func liveCredential(_ item: ItemIdentity) throws(SecretStoreError) -> CredentialRecord? {
        guard let found = try credential(item), !isOver(found.expires) else { return nil }
        return found
    }

    /// Returns whether this time has passed.
    func isOver(_ end: Int64?) -> Bool { end.map { $0 <= now } ?? false }
}
