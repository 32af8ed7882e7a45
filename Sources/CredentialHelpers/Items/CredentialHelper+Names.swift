import SessionKeyring

/// Items by their names, of whichever kind.
extension CredentialHelper {
    /// What is stored under this name; `nil` for nothing, and for what has ended though its item is still there.
    func credential(service: String, account: String = "") throws(SecretStoreError) -> CredentialRecord? {
        for kind in Self.kinds {
            let item = ItemIdentity(kind, service: service, account: account)
            if let found = try liveCredential(item) { return found }
        }
        return nil
    }

    /// What is stored for a service, with its account: of the one that has none, else of the first by name, unless one is
    /// said.
    func credential(
        service: String, ofAny account: String?
    ) throws(SecretStoreError) -> (account: String, credential: CredentialRecord)? {
        if let found = try credential(service: service, account: account ?? "") { return (account ?? "", found) }
        guard account == nil else { return nil }
        for item in try items(where: { $0.service.utf8.elementsEqual(service.utf8) && !$0.account.isEmpty }) {
            if let found = try liveCredential(item) { return (item.account, found) }
        }
        return nil
    }

    /// Deletes what is stored under this name, of all kinds in which it would be found; false for nothing.
    func delete(service: String, account: String = "") throws(SecretStoreError) -> Bool {
        var isDeleted = false
        for kind in Self.kinds {
            if try items.delete(ItemIdentity(kind, service: service, account: account)) { isDeleted = true }
        }
        return isDeleted
    }

    /// What an item holds; `nil` for what has ended though its item is still there.
    func liveCredential(_ item: ItemIdentity) throws(SecretStoreError) -> CredentialRecord? {
        guard let found = try credential(item), found.expires ?? .max > now else { return nil }
        return found
    }
}
