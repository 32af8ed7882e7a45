import Glibc
import Keyutils

/// The leases of a namespace's items.
///
/// Who must look at an item and then write it holds its lease meanwhile; who just writes needs none, but looks
/// afterwards whether one was held.
struct ItemLeases {
    /// Longer than any holder takes, who makes a handful of system calls; waiters lose this much to a holder that died.
    private static let duration = Duration.seconds(2)
    private static let patience = Duration.seconds(10)

    let rings: NamespaceRings

    func acquire(for item: ItemIdentity) throws(SecretStoreError) -> ExactLease {
        let name = name(for: item.keyDescription)
        for _ in 0..<8 {
            let ring = try rings.pair().leases
            do throws(KeyringError) {
                let lease = try QuotaPatience.wait { () throws(KeyringError) in
                    try ExactLease.acquire(
                        name, in: ring, permissions: rings.scope.permissions, lasting: Self.duration,
                        waiting: Self.patience
                    )
                }
                if let lease { return lease }
            } catch {
                let current = try rings.findOrMakePair().leases
                guard current != ring else { throw SecretStoreError(error, item: item) }
                continue
            }
            throw SecretStoreError(.contended, item: item)
        }
        throw SecretStoreError(.unreadableAfterWrite, item: item)
    }

    /// The lease of a key by its description; `nil` where the quota has no room for it, or another process keeps it.
    func acquireIfAffordable(forKeyDescription description: String) throws(KeyringError) -> ExactLease? {
        guard let ring = try? rings.leases() else { return nil }
        do throws(KeyringError) {
            return try ExactLease.acquire(
                name(for: description), in: ring, permissions: rings.scope.permissions, lasting: Self.duration,
                waiting: Self.duration
            )
        } catch {
            guard error.code == .quotaExceeded else { throw error }
            return nil
        }
    }

    /// Waits until nobody holds the item's lease; false if nobody did.
    func waitWhileHeld(for item: ItemIdentity) throws(SecretStoreError) -> Bool {
        guard let ring = try rings.leases() else { return false }
        do throws(KeyringError) {
            return try wait(for: name(for: item.keyDescription), in: ring)
        } catch {
            throw SecretStoreError(error, item: item)
        }
    }

    /// Waits until nobody holds the lease of any of the namespace's items that is held now; false if nobody did.
    func waitWhileAnyHeld() throws(SecretStoreError) -> Bool {
        var wasHeld = false
        try forEachLease { name, ring throws(KeyringError) in
            if try wait(for: name, in: ring) { wasHeld = true }
        }
        return wasHeld
    }

    /// Removes what dead holders left and nobody has asked for since.
    func sweep() throws(SecretStoreError) {
        try forEachLease { name, ring throws(KeyringError) in
            _ = try ExactLease.isHeld(name, in: ring)
        }
    }

    private func forEachLease(
        _ body: (_ name: String, _ ring: Keyring) throws(KeyringError) -> Void
    ) throws(SecretStoreError) {
        guard let ring = try rings.leases() else { return }
        do throws(KeyringError) {
            for serial in try ring.members() {
                // A lease that is gone by now need not be looked at.
                guard let name = try? Key(serial).describe().name, name.hasPrefix(rings.leasePrefix) else { continue }
                try body(name, ring)
            }
        } catch {
            // The ring was removed, and every lease with it.
            guard error.code == .notFound || error.code == .accessDenied else { throw SecretStoreError(error) }
        }
    }

    private func wait(for name: String, in ring: Keyring) throws(KeyringError) -> Bool {
        var pause: UInt32 = 50
        var wasHeld = false
        // Its deadline, not its removal, ends a lease whose holder has died.
        while try ExactLease.isHeld(name, in: ring) {
            wasHeld = true
            usleep(pause)
            pause = min(pause * 2, 2_000)
        }
        return wasHeld
    }

    /// Names are kept short, which the kernel searches faster; two items that share one only wait for each other.
    func name(for keyDescription: String) -> String {
        let name = rings.leasePrefix + keyDescription
        guard name.utf8.count > 255 else { return name }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return rings.leasePrefix + "#" + String(hash, radix: 16)
    }
}
