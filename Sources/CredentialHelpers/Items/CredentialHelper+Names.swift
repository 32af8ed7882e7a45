import SessionKeyring

/// Items by their names, of whichever kind.
extension CredentialHelper {
    /// What is stored under this name and not git's or docker's; `nil` for nothing, and for what has ended though its item is
    /// still there.
    func credential(service: String, account: String = "") throws(SecretStoreError) -> CredentialRecord? {
        try namedCredential(service: service, account: account)?.credential
    }

    /// The same, with the item that holds it.
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

    /// What is stored for a service, with its account: of the one that has none, else of the first by name, unless one is
    /// said.
    func credential(
        service: String, ofAny account: String?
    ) throws(SecretStoreError) -> (account: String, credential: CredentialRecord)? {
        if let found = try credential(service: service, account: account ?? "") { return (account ?? "", found) }
        guard account == nil else { return nil }
        return try lookingAgain { look throws(SecretStoreError) -> (account: String, credential: CredentialRecord)? in
            for item in try items.identities().secrets(where: {
                $0.service.utf8.elementsEqual(service.utf8) && !$0.account.isEmpty
            }) {
                if let found = try look.liveCredential(item), ItemOwner.others.has(item, found) {
                    return (item.account, found)
                }
            }
            return nil
        }
    }

    /// Deletes what is stored under this name, of all kinds in which it would be found; false for nothing.
    func delete(service: String, account: String = "") throws(SecretStoreError) -> Bool {
        let isDeleted = try lookingAgain { look throws(SecretStoreError) -> Bool? in
            look.isByName = true
            var isDeleted = false
            for kind in ItemIdentity.Kind.ofSecrets {
                let item = ItemIdentity(kind, service: service, account: account)
                if kind != .credential {
                    guard ItemOwner.others.has(item, nil), try items.delete(item) else { continue }
                } else {
                    guard let record = try credential(item), ItemOwner.others.has(item, record),
                        try items.delete(item, ifUnchanged: record.payload.bytes)
                    else { continue }
                }
                isDeleted = true
            }
            return isDeleted ? true : nil
        }
        return isDeleted ?? false
    }

    /// What an item holds; `nil` for what has ended though its item is still there.
    func liveCredential(_ item: ItemIdentity) throws(SecretStoreError) -> CredentialRecord? {
        guard let found = try credential(item), !isOver(found.expires) else { return nil }
        return found
    }

    /// Whether what ends at that time has ended.
    func isOver(_ end: Int64?) -> Bool { end.map { $0 <= now } ?? false }
}
