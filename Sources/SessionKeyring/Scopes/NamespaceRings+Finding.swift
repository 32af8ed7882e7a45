import Glibc
import Keyutils

extension NamespaceRings {
    /// The ring of that name that the anchor itself links.
    ///
    /// The kernel's search goes on into nested keyrings, and a session often links the user keyring: without the look at
    /// the anchor's members, the session scope would take the user scope's ring for its own.
    func find(_ name: String, in anchor: Keyring) throws(SecretStoreError) -> Keyring? {
        do throws(KeyringError) {
            let found = try anchor.search(.keyring, name)
            return try anchor.links(found) ? Keyring(found.serial) : nil
        } catch {
            switch error.code {
            case .notFound: return nil
            case .expired, .revoked:
                // Either the ring is dead, or the anchor: the session that has ended.
                try requireLive(anchor)
                return nil
            default: throw SecretStoreError(error)
            }
        }
    }

    /// The ring of that name, made where there is none.
    ///
    /// Of many processes that make it at once, all get the same one.
    func findOrMake(_ name: String, in anchor: Keyring) throws(SecretStoreError) -> Keyring {
        for _ in 0..<50 {
            if let found = try find(name, in: anchor) { return found }
            do throws(KeyringError) {
                try QuotaPatience.wait { () throws(KeyringError) in try self.make(name, in: anchor) }
            } catch {
                // Another process was first, or a dead ring still holds the name: look again in a moment.
                guard error.code == .alreadyExists else { throw SecretStoreError(error) }
                usleep(1_000)
            }
        }
        throw SecretStoreError(.unreadableAfterWrite)
    }

    private func requireLive(_ anchor: Keyring) throws(SecretStoreError) {
        do throws(KeyringError) {
            _ = try Key(anchor).describe()
        } catch {
            throw SecretStoreError(error)
        }
    }

    /// Makes the ring out of sight and moves it into place: adding it in place would displace one that another process
    /// has just filled.
    private func make(_ name: String, in anchor: Keyring) throws(KeyringError) {
        if scope == .thread {
            // The anchor is the staging place itself, and nobody else can see it.
            try Key(anchor.addKeyring(name)).setPermissions(scope.permissions)
            return
        }
        let ring = try Keyring.thread.addKeyring(name)
        do throws(KeyringError) {
            try Key(ring).setPermissions(scope.permissions)
            try Keyring.thread.move(Key(ring), to: anchor, exclusive: true)
        } catch {
            Staging.discard(Key(ring))
            if error.code == .alreadyExists { try removeDeadRing(name, in: anchor) }
            throw error
        }
    }

    /// A revoked or expired ring keeps its name taken for up to five minutes, and holds nothing that can be read.
    private func removeDeadRing(_ name: String, in anchor: Keyring) throws(KeyringError) {
        for serial in try anchor.members() {
            do throws(KeyringError) {
                _ = try Key(serial).describe()
            } catch {
                guard error.code == .expired || error.code == .revoked else { continue }
                // /proc/keys still names what the kernel no longer describes.
                guard let entry = try KeyTable.snapshot()[serial], entry.type == "keyring",
                    entry.text.hasPrefix(name + ":")
                else { continue }
                try anchor.unlink(Key(serial))
            }
        }
    }
}
