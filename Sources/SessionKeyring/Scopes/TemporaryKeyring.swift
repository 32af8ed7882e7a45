import Glibc
package import Keyutils

/// A keyring that is linked into another one for as long as this value lives, and removed with all that is in it at the end.
///
/// It has a timeout of its own, so that a process that is killed leaves nothing that lasts.
package struct TemporaryKeyring: ~Copyable, Sendable {
    package let keyring: Keyring
    private let anchor: Keyring

    /// Makes one, complete before others can see it.
    ///
    /// - Parameters:
    ///   - prefix: what its name begins with; the rest is left to chance, as two pid namespaces may share a session.
    ///   - permissions: the kernel's usual ones if `nil`.
    package init(
        prefix: String, in anchor: Keyring, lifetime: KeyTimeout, permissions: KeyPermissions? = nil
    ) throws(KeyringError) {
        let name = "\(prefix)-\(getpid())-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        let keyring = try Wait.forQuota { () throws(KeyringError) in try Keyring.thread.addKeyring(name) }
        do throws(KeyringError) {
            if let permissions { try Key(keyring).setPermissions(permissions) }
            try Key(keyring).setTimeout(lifetime)
            try Keyring.thread.move(Key(keyring), to: anchor, exclusive: true)
        } catch {
            Staging.discard(Key(keyring))
            throw error
        }
        self.keyring = keyring
        self.anchor = anchor
    }

    /// Removes it, and tells what keeps that from being done.
    package consuming func remove() throws(KeyringError) {
        let (keyring, anchor) = (keyring, anchor)
        discard self
        try keyring.clear()
        try anchor.unlink(Key(keyring))
    }

    deinit {
        // Clearing first: other processes may still hold links to the ring. What fails here, the timeout ends.
        try? keyring.clear()
        try? anchor.unlink(Key(keyring))
    }
}
