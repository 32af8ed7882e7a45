import Keyutils

extension SecretStore {
    /// Lists the items of a service, server or tag, whatever their accounts.
    ///
    /// - Throws: ``SecretStoreError``.
    package func identities(
        of kind: ItemIdentity.Kind,
        service: String
    ) throws(SecretStoreError) -> [ItemIdentity] {
        try identities().filter { $0.kind == kind && $0.service == service }
    }
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
}
