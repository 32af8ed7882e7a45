import Keyutils

/// Items as keys of the kernel, in the namespace's ring.
///
/// All operations go by serial, never by the per-thread special ids, and none holds a lock.
package struct KernelBackend: SecretBackend {
    package let rings: NamespaceRings

    package init(scope: SecretScope, namespace: String) throws(SecretStoreError) {
        self.rings = try NamespaceRings(scope: scope, namespace: namespace)
    }

    var leases: ItemLeases { ItemLeases(rings: rings) }

    package func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        try withKey(of: item) { _, key throws(KeyringError) in
            try key.withPayload { payload in
                body(payload.extracting(first: StoredForm.secretSize(payload)))
            }
        } != nil
    }

    package func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try withKey(of: item) { _, _ in } != nil
    }

    package func removeAll() throws(SecretStoreError) {
        for _ in 0..<8 {
            guard let ring = try rings.findItems() else { return }
            do throws(KeyringError) {
                return try ring.clear()
            } catch {
                // The ring itself was removed just now; there may be a new one.
                guard error.code == .notFound || error.code == .revoked else { throw SecretStoreError(error) }
            }
        }
        throw SecretStoreError(.contended)
    }
}
