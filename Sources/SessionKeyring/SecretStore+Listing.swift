package import Keyutils

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

/// Looking at items without reading their secrets.
extension SecretStore {
    /// Reads an item's attributes, including the time left as the kernel reports it; never its secret.
    ///
    /// This reads `/proc/keys`, as ``items()`` does, so it takes about 200 microseconds. A `get` doesn't do this.
    ///
    /// - Returns: the attributes, or `nil` if the item does not exist.
    /// - Throws: ``SecretStoreError``.
    public func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        try check(item)
        return try backend.attributes(of: item)
    }

    /// Lists all live items with their attributes, ordered by ``ItemIdentity/keyDescription``; never a secret.
    ///
    /// This reads `/proc/keys`, the only place where the kernel reports the time left; ``identities()`` costs less. It
    /// also removes the leases of dead processes. The list omits other programs' keys, and items that can't be read.
    ///
    /// - Throws: ``SecretStoreError``.
    public func items() throws(SecretStoreError) -> [ItemAttributes] {
        try backend.attributes().sorted { $0.item.keyDescription < $1.item.keyDescription }
    }

    /// Lists the keys of items that can't be read, such as another user's.
    package func unreadableKeys() throws(SecretStoreError) -> [KeySerial] {
        try backend.unreadableKeys().sorted { $0.rawValue < $1.rawValue }
    }

    /// Lists the identities of all live items, ordered by ``ItemIdentity/keyDescription``.
    ///
    /// - Throws: ``SecretStoreError``.
    public func identities() throws(SecretStoreError) -> [ItemIdentity] {
        try backend.identities().sorted { $0.keyDescription < $1.keyDescription }
    }
}
