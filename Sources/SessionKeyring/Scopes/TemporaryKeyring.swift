import Glibc
package import Keyutils

/// A keyring that is linked into another one as long as this value lives, and then removed with its contents.
///
/// The keyring also has a timeout, so that a killed process leaves nothing permanent.
package struct TemporaryKeyring: ~Copyable, Sendable {
    /// The purposes, with the beginnings of the names.
    package enum Purpose: String, CaseIterable {
        case probe = "skr-probe"
        case scratch = "skr-scratch"
    }

    package let keyring: Keyring
    private let anchor: Keyring

    /// Creates the keyring, and completes it before others can see it.
    ///
    /// - Parameters:
    ///   - purpose: determines the beginning of its name. The rest is random, because two pid namespaces can share a
    ///     session.
    ///   - permissions: its permissions; `nil` for the kernel's default.
    package init(
        for purpose: Purpose, in anchor: Keyring, lifetime: KeyTimeout, permissions: KeyPermissions? = nil
    ) throws(KeyringError) {
        let name = "\(purpose.rawValue)-\(getpid())-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        let keyring = try Wait.forQuota { () throws(KeyringError) in try Keyring.thread.addKeyring(name) }
        try Staging.discardIfFailing(Key(keyring)) { () throws(KeyringError) in
            if let permissions { try Key(keyring).setPermissions(permissions) }
            try Key(keyring).setTimeout(lifetime)
            try Keyring.thread.move(Key(keyring), to: anchor, exclusive: true)
        }
        self.keyring = keyring
        self.anchor = anchor
    }

    /// Removes the keyring with its contents; throws if that fails.
    package consuming func remove() throws(KeyringError) {
        let (keyring, anchor) = (keyring, anchor)
        discard self
        try keyring.clear()
        try anchor.unlink(Key(keyring))
    }

    deinit {
        // Clear it first, because other processes might still hold links to it. If a call fails, the keyring lives
        // until its timeout.
        try? keyring.clear()
        try? anchor.unlink(Key(keyring))
    }
}
