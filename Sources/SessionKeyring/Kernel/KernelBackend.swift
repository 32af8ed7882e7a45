import Keyutils

/// Items as keys of the kernel, in the namespace's ring.
///
/// All operations go by serial, never by the per-thread special ids, and none holds a lock.
package struct KernelBackend: SecretBackend {
    package let rings: NamespaceRings

    package init(scope: SecretScope, namespace: String) throws(SecretStoreError) {
        self.rings = try NamespaceRings(scope: scope, namespace: namespace)
    }

    /// What is in this ring, only to be looked at.
    init(lookingAt items: Keyring, namespace: String, under anchor: Keyring, access: SecretScope.ItemAccess) {
        self.rings = NamespaceRings(lookingAt: items, namespace: namespace, under: anchor, access: access)
    }

    var itemLeases: ItemLeases { ItemLeases(rings: rings) }

    package var fetchPlace: FetchPlace? {
        FetchPlace(scope: rings.scope, anchor: rings.anchor.serial.rawValue, namespace: rings.namespace)
    }

    package func clear() throws(SecretStoreError) {
        if try clearKnownRing() { return }
        for _ in 0..<SecondLooks.replacedRings {
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

    /// Clears the ring that is remembered, with one system call; false where that proves nothing.
    ///
    /// A ring that only its possessor may write to can be written to only while the caller's tree of keyrings has it, and
    /// nobody links it there a second time. One that the whole user may write to can be cleared after it was removed, and
    /// its successor would stay full.
    private func clearKnownRing() throws(SecretStoreError) -> Bool {
        guard rings.scope.access == .possessor, let ring = rings.knownItems else { return false }
        do throws(KeyringError) {
            try ring.clear()
            return true
        } catch {
            guard error.isKeyGoneOrRefused else { throw SecretStoreError(error) }
            return false
        }
    }
}
