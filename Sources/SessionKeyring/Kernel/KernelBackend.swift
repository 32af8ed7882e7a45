import Keyutils

/// A backend that keeps items as kernel keys, in the namespace's keyring (``NamespaceRings``).
///
/// All operations use serials, not special ids such as `KEY_SPEC_SESSION_KEYRING`, whose meaning depends on the calling
/// thread. The only exception is the thread's own keyring, in which keys are staged (``Staging``). No lock is held
/// during a call for keys, except a lease's own while it is renewed.
package struct KernelBackend: SecretBackend {
    package let rings: NamespaceRings

    package init(scope: SecretScope, namespace: String) throws(SecretStoreError) {
        self.rings = try NamespaceRings(scope: scope, namespace: namespace)
    }

    /// Creates a backend that only looks at the items in this ring.
    init(lookingAt items: Keyring, namespace: String, under anchor: Keyring, access: SecretScope.ItemAccess) {
        self.rings = NamespaceRings(lookingAt: items, namespace: namespace, under: anchor, access: access)
    }

    package var place: StorePlace? {
        StorePlace(scope: rings.scope, anchor: rings.anchor.serial, namespace: Name(rings.namespace))
    }

    package func clear() throws(SecretStoreError) {
        if try clearKnownRing() { return }
        for _ in 0..<SecondLooks.replacedRings {
            guard let ring = try rings.findItems() else { return }
            do throws(KeyringError) {
                return try ring.clear()
            } catch {
                // Another process has just removed the ring itself. There may be a new one.
                guard error.code == .notFound || error.code == .revoked else { throw SecretStoreError(error) }
            }
        }
        throw SecretStoreError(.contended)
    }

    /// Clears the remembered ring with one system call; false if that does not prove that the items are gone.
    ///
    /// If only possessors can write to the ring, success proves it: the kernel then found the ring in the caller's tree
    /// of keyrings, where nobody links a ring again after its removal. If the whole user can write to the ring, a ring
    /// that was removed can still be cleared, and its successor would stay full.
    private func clearKnownRing() throws(SecretStoreError) -> Bool {
        guard rings.access == .possessor, let ring = rings.knownItems else { return false }
        do throws(KeyringError) {
            try ring.clear()
            return true
        } catch {
            guard error.isKeyGoneOrRefused else { throw SecretStoreError(error) }
            return false
        }
    }
}
