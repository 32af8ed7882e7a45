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
