import Keyutils

/// The leases of a namespace's items.
///
/// Whoever displaces or removes an item because of what it has seen there holds the item's lease from before the look until
/// after the deed.
struct ItemLeases {
    /// Longer than any holder takes, who makes a handful of system calls; waiters lose this much to a holder whose death
    /// they can't see.
    static let duration = Duration.seconds(2)

    let rings: NamespaceRings
    let mayWait: Bool

    private func leases(in ring: Keyring) -> LeaseRing {
        LeaseRing(ring, permissions: rings.scope.permissions) { lease, record throws(KeyringError) in
            try finishOverwrite(record, of: lease)
        }
    }

    /// The lease of a key by its description; `nil` if others held it all the time.
    func acquire(
        for keyDescription: String,
        in ring: Keyring,
        lasting duration: Duration = duration,
        waiting limit: Duration = RetryBudget.heldLease
    ) throws(KeyringError) -> RingLease? {
        try leases(in: ring).acquire(name(for: keyDescription), lasting: duration, waiting: mayWait ? limit : nil)
    }

    /// The same, for which a short time is waited where the quota is full.
    func acquireWaitingForQuota(for keyDescription: String, in ring: Keyring) throws(KeyringError) -> RingLease? {
        try (mayWait ? QuotaBackoff.short : .none).wait { () throws(KeyringError) in
            try acquire(for: keyDescription, in: ring)
        }
    }

    /// A lease that users of the store have named, if nobody holds it.
    func acquire(
        publicName: String, in ring: Keyring, lasting duration: Duration
    ) throws(KeyringError) -> RingLease? {
        try leases(in: ring).acquire(self.publicName(publicName), lasting: duration, waiting: mayWait ? .zero : nil)
    }

    /// Whether somebody holds the lease that users of the store have named.
    func isHeld(publicName: String, in ring: Keyring) throws(KeyringError) -> Bool {
        try leases(in: ring).look(self.publicName(publicName)) == .held
    }

    /// What is known of who holds it.
    func report(publicName: String, in ring: Keyring) throws(KeyringError) -> LeaseReport? {
        try leases(in: ring).report(self.publicName(publicName))
    }

    private func publicName(_ name: String) -> String {
        self.name(for: "lease:" + PercentCoding.encode(name))
    }

    /// The lease of a key by its description; `nil` where the quota has no room for a lease.
    ///
    /// - Throws: ``KeyringError`` with `alreadyExists` where somebody else holds it.
    func acquireIfAffordable(for keyDescription: String, in ring: Keyring) throws(KeyringError) -> RingLease? {
        do throws(KeyringError) {
            let lease = try acquire(for: keyDescription, in: ring, waiting: .zero)
            guard let lease else { throw KeyringError(.alreadyExists, in: .move) }
            return lease
        } catch {
            guard error.code == .quotaExceeded else { throw error }
            // Nobody can take it now, but somebody may have it.
            if try leases(in: ring).look(name(for: keyDescription)) == .held {
                throw KeyringError(.alreadyExists, in: .move)
            }
            return nil
        }
    }

    /// Waits until nobody holds the lease; false if somebody did all the time.
    func waitUntilFree(_ keyDescription: String, in ring: Keyring) throws(KeyringError) -> Bool {
        var wait = DeadlineWait(mayWait ? RetryBudget.heldLease : .zero, backoff: .long)
        while try leases(in: ring).look(name(for: keyDescription)) == .held {
            guard wait.wait() else { return false }
        }
        return true
    }

    /// Removes what dead holders left and nobody has asked for since.
    func sweep() throws(SecretStoreError) {
        guard let ring = try rings.leases() else { return }
        do throws(KeyringError) {
            try leases(in: ring).sweep(prefix: rings.leasePrefix)
            try LeaseRing(rings.anchor, permissions: rings.scope.permissions).sweep(
                prefix: NamespaceRings.makingPrefix)
        } catch {
            // The ring was removed, and every lease with it.
            guard error.isKeyGoneOrRefused else { throw SecretStoreError(error) }
        }
    }

    /// Names are kept short, which the kernel searches faster; two items that share one only wait for each other.
    func name(for keyDescription: String) -> String {
        let name = rings.leasePrefix + keyDescription
        guard name.utf8.count > 255 else { return name }
        return rings.leasePrefix + "#" + String(unsafe LeaseRecord.hash(of: name.utf8Span.span.bytes), radix: 16)
    }
}
