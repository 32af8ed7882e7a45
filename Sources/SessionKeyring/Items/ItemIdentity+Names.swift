import Keyutils

/// Looking up secrets by name, whatever their kind.
extension ItemIdentity.Kind {
    /// The kinds among which a secret is looked up by name, in this order.
    package static let ofSecrets: [Self] = [.password, .internet, .credential]

    /// The position in ``ofSecrets``; `nil` for the other kinds.
    fileprivate var rank: Int? {
        switch self {
        case .password: 0
        case .internet: 1
        case .credential: 2
        case .key, .cached, .secret: nil
        }
    }

    /// Whether a lookup by name considers items of this kind.
    package var isOfSecrets: Bool { rank != nil }
}

extension ItemIdentity {
    /// Finds the item that a name stands for; `nil` if it does not exist.
    ///
    /// Without an account, the name stands for the item that has no account, or else for the only item of the service.
    /// If items of several kinds match, the first kind in the order of ``Kind/ofSecrets`` wins. The name of a secret of
    /// the Secret Service is its encoded attributes.
    ///
    /// - Parameters:
    ///   - kind: the only kind to consider; `nil` for all kinds of secrets.
    ///   - isThere: checks whether an item exists.
    ///   - all: lists the items; called only if no item has exactly this name.
    /// - Throws: ``SecretStoreError`` with `ambiguous` if the service has several accounts.
    package static func named(
        _ service: String, account: String?, of kind: Kind? = nil,
        isThere: (ItemIdentity) throws(SecretStoreError) -> Bool,
        among all: () throws(SecretStoreError) -> [ItemIdentity]
    ) throws(SecretStoreError) -> ItemIdentity? {
        for kind in kind.map({ [$0] }) ?? Kind.ofSecrets {
            let item = ItemIdentity(kind, service: service, account: account ?? "")
            if try isThere(item) { return item }
        }
        guard account == nil else { return nil }
        let secret = ItemIdentity(.secret, service: service, account: "")
        if kind == nil, case .some = secret.secretAttributes, try isThere(secret) { return secret }
        let found = try all().secrets { $0.service == service && (kind == nil || $0.kind == kind) }
        let accounts = Set(found.map { Name($0.account) })
        guard accounts.count < 2 else {
            throw SecretStoreError(
                .ambiguous(accounts: accounts.sorted().map(\.text)),
                item: ItemIdentity(kind ?? .password, service: service, account: ""))
        }
        return found.first
    }

    /// Orders items by kind, then by account and service.
    fileprivate static func isOrdered(_ left: ItemIdentity, _ right: ItemIdentity) -> Bool {
        guard left.kind == right.kind else { return (left.kind.rank ?? 0) < (right.kind.rank ?? 0) }
        return left.account == right.account ? left.service < right.service : left.account < right.account
    }
}

extension [ItemIdentity] {
    /// Returns the matching secrets, ordered by kind, then by account and service.
    package func secrets(where isMeant: (ItemIdentity) -> Bool) -> [ItemIdentity] {
        var found: [ItemIdentity] = []
        for item in self where item.kind.isOfSecrets && isMeant(item) { found.append(item) }
        if found.count > 1 { found.sort(by: ItemIdentity.isOrdered) }
        return found
    }
}
