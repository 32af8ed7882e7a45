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

    /// Finds the item of a service or server if the caller names no account.
    ///
    /// This is the item that has no account, or else the only item.
    ///
    /// - Returns: `nil` if there isn't such an item.
    /// - Throws: ``SecretStoreError`` with `ambiguous` if there are several.
    package func soleItem(of kind: ItemIdentity.Kind, service: String) throws(SecretStoreError) -> ItemIdentity? {
        let plain = ItemIdentity(kind, service: service, account: "")
        if try contains(plain) { return plain }
        let found = try identities(of: kind, service: service)
        guard found.count > 1 else { return found.first }
        throw SecretStoreError(.ambiguous(accounts: found.map(\.account)), item: plain)
    }
}
