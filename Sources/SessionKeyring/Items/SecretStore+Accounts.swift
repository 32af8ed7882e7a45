extension SecretStore {
    /// The items of a service, server or tag, whatever their accounts.
    ///
    /// - Throws: ``SecretStoreError``.
    package func identities(
        of kind: ItemIdentity.Kind,
        service: String
    ) throws(SecretStoreError) -> [ItemIdentity] {
        try identities().filter { $0.kind == kind && $0.service.utf8.elementsEqual(service.utf8) }
    }

    /// The item meant by a service or server alone: the one without an account, else the only one there is.
    ///
    /// - Returns: `nil` where there is none.
    /// - Throws: ``SecretStoreError`` with `ambiguous` where there are several.
    package func soleItem(of kind: ItemIdentity.Kind, service: String) throws(SecretStoreError) -> ItemIdentity? {
        let plain = ItemIdentity(kind, service: service, account: "")
        if try contains(plain) { return plain }
        let found = try identities(of: kind, service: service)
        guard found.count > 1 else { return found.first }
        throw SecretStoreError(.ambiguous(accounts: found.map(\.account)), item: plain)
    }
}
