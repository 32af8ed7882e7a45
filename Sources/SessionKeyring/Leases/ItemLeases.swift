import Keyutils

/// The leases of a namespace's items.
///
/// Whoever writes an item where there is no live one holds its lease meanwhile, so that a creator's look and its write
/// are one step to all others.
struct ItemLeases {
    /// Longer than any holder takes, who makes a handful of system calls; waiters lose this much to a holder that died.
    static let duration = Duration.seconds(2)
    static let patience = Duration.seconds(10)

    let rings: NamespaceRings

    /// The lease of a key by its description; `nil` if others held it all the time.
    func acquire(
        for keyDescription: String,
        in ring: Keyring,
        waiting patience: Duration = patience
    ) throws(KeyringError) -> ExactLease? {
        try ExactLease.acquire(
            name(for: keyDescription), in: ring, permissions: rings.scope.permissions, lasting: Self.duration,
            waiting: patience
        )
    }

    /// A lease that users of the store have named, if nobody holds it.
    func acquire(
        publicName: String, in ring: Keyring, lasting duration: Duration
    ) throws(KeyringError) -> ExactLease? {
        try ExactLease.acquire(
            self.publicName(publicName), in: ring, permissions: rings.scope.permissions, lasting: duration,
            waiting: .zero)
    }

    /// The description of a named lease's key, which is no item's.
    func publicName(_ name: String) -> String {
        self.name(for: "lease:" + PercentCoding.encode(name))
    }

    /// The lease of a key by its description with a fence to write through; `nil` if others held it all the time.
    func acquireFenced(
        for keyDescription: String,
        in ring: Keyring,
        lasting duration: Duration = duration,
        waiting patience: Duration = patience
    ) throws(KeyringError) -> FencedLease? {
        let permissions = rings.scope.permissions
        let giveUp = BootTime.now() + BootTime(patience)
        while true {
            let lease = try ExactLease.acquire(
                name(for: keyDescription), in: ring, permissions: permissions, lasting: duration, waiting: patience)
            guard var lease else { return nil }
            // Made by the holder alone, so that those who wait use up no quota for it.
            let fence = try WriteFence(
                prefix: rings.leasePrefix, in: ring, permissions: permissions, lasting: duration)
            if try lease.attach(fence.keyring.serial) { return FencedLease(lease: lease, fence: fence) }
            guard BootTime.now() < giveUp else { return nil }
        }
    }

    /// The lease of a key by its description; `nil` where the quota has no room for a lease.
    ///
    /// - Throws: ``KeyringError`` with `alreadyExists` where somebody else holds it.
    func acquireIfAffordable(for keyDescription: String) throws(KeyringError) -> ExactLease? {
        guard let ring = try? rings.leases() else { return nil }
        do throws(KeyringError) {
            let lease = try acquire(for: keyDescription, in: ring, waiting: .zero)
            guard let lease else { throw KeyringError(.alreadyExists, in: .move) }
            return lease
        } catch {
            guard error.code == .quotaExceeded else { throw error }
            // Nobody can take it now, but somebody may have it.
            if try ExactLease.isHeld(name(for: keyDescription), in: ring) {
                throw KeyringError(.alreadyExists, in: .move)
            }
            return nil
        }
    }

    /// Waits until nobody holds the lease; false if somebody did all the time.
    func waitUntilFree(_ keyDescription: String, in ring: Keyring) throws(KeyringError) -> Bool {
        let giveUp = BootTime.now() + BootTime(Self.patience)
        var backoff = Backoff.unhurried
        while try ExactLease.isHeld(name(for: keyDescription), in: ring) {
            guard BootTime.now() < giveUp else { return false }
            backoff.wait()
        }
        return true
    }

    /// Removes what dead holders left and nobody has asked for since.
    func sweep() throws(SecretStoreError) {
        guard let ring = try rings.leases() else { return }
        do throws(KeyringError) {
            for serial in try ring.members() {
                // A lease that is gone by now need not be looked at.
                guard let name = try? Key(serial).describe().name, name.hasPrefix(rings.leasePrefix) else { continue }
                if WriteFence.isForgotten(name, prefix: rings.leasePrefix) {
                    try WriteFence.close(Keyring(serial), in: ring)
                } else {
                    _ = try ExactLease.isHeld(name, in: ring)
                }
            }
        } catch {
            // The ring was removed, and every lease with it.
            guard error.code == .notFound || error.code == .accessDenied else { throw SecretStoreError(error) }
        }
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
