/// Secrets by their names, of whichever kind.
extension ItemIdentity.Kind {
    /// The kinds in which a secret is looked for by its name, in this order.
    package static let ofSecrets: [Self] = [.password, .internet, .credential]

    /// The place among ``ofSecrets``; `nil` for the other kinds.
    fileprivate var rank: Int? {
        switch self {
        case .password: 0
        case .internet: 1
        case .credential: 2
        case .key, .cached: nil
        }
    }

    /// Whether a secret is looked for among items of this kind.
    package var isOfSecrets: Bool { rank != nil }
}

extension ItemIdentity {
    /// The item that a name means: without an account the one that has none, else the only one of the service; `nil` for none.
    ///
    /// Of several kinds the first one wins, in the order of ``Kind/ofSecrets``.
    ///
    /// - Parameters:
    ///   - isThere: whether there is such an item.
    ///   - all: lists the items; asked only if none has exactly this name.
    /// - Throws: ``SecretStoreError`` with `ambiguous` if there are several accounts.
    package static func named(
        _ service: String, account: String?,
        isThere: (ItemIdentity) throws(SecretStoreError) -> Bool,
        among all: () throws(SecretStoreError) -> [ItemIdentity]
    ) throws(SecretStoreError) -> ItemIdentity? {
        for kind in Kind.ofSecrets {
            let item = ItemIdentity(kind, service: service, account: account ?? "")
            if try isThere(item) { return item }
        }
        guard account == nil else { return nil }
        let found = try all().secrets { $0.service.utf8.elementsEqual(service.utf8) }
        let accounts = Set(found.map(\.account))
        guard accounts.count < 2 else {
            throw SecretStoreError(
                .ambiguous(accounts: accounts.sorted()), item: .password(service: service, account: ""))
        }
        return found.first
    }

    /// By kind, then by account and service.
    fileprivate static func isOrdered(_ left: ItemIdentity, _ right: ItemIdentity) -> Bool {
        guard left.kind == right.kind else { return (left.kind.rank ?? 0) < (right.kind.rank ?? 0) }
        return left.account.utf8.elementsEqual(right.account.utf8)
            ? left.service.utf8.lexicographicallyPrecedes(right.service.utf8)
            : left.account.utf8.lexicographicallyPrecedes(right.account.utf8)
    }
}

extension [ItemIdentity] {
    /// The secrets among them that are meant: by kind, then by account and service.
    package func secrets(where isMeant: (ItemIdentity) -> Bool) -> [ItemIdentity] {
        var found: [ItemIdentity] = []
        for item in self where item.kind.isOfSecrets && isMeant(item) { found.append(item) }
        if found.count > 1 { found.sort(by: ItemIdentity.isOrdered) }
        return found
    }
}
