import Keyutils

/// The leases of a namespace: those of its items, and those that users of the store have named.
///
/// A process that displaces or removes an item because of what it has seen there holds the item's lease from before the look
/// until after the change.
struct ItemLeases {
    /// Longer than any holder takes, who makes a handful of system calls; waiters lose this much to a holder whose death
    /// they can't see.
    static let duration = Duration.seconds(2)

    let rings: NamespaceRings

    private func ring(_ ring: Keyring) -> LeaseRing {
        LeaseRing(ring, permissions: rings.scope.permissions) { lease, record throws(KeyringError) in
            try finishOverwrite(record, of: lease)
        }
    }

    /// The lease of a key by its description; `nil` if the attempt is blocked.
    func acquire(
        for keyDescription: String, in ring: Keyring, lasting duration: Duration = duration,
        _ attempt: inout BackendAttempt
    ) throws(KeyringError) -> HeldLease? {
        try self.ring(ring).acquire(name(for: keyDescription), lasting: duration, &attempt)
    }

    /// A lease that users of the store have named; `nil` if the attempt is blocked.
    func acquire(
        publicName: String, in ring: Keyring, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(KeyringError) -> HeldLease? {
        try self.ring(ring).acquire(
            self.publicName(publicName), lasting: duration, &attempt, else: .namedLease)
    }

    /// Whether somebody holds the lease that users of the store have named.
    func isHeld(publicName: String, in ring: Keyring) throws(KeyringError) -> Bool {
        try self.ring(ring).look(self.publicName(publicName)) == .held
    }

    /// Whether somebody holds the lease of a key by its description.
    func isHeld(_ keyDescription: String, in ring: Keyring) throws(KeyringError) -> Bool {
        try self.ring(ring).look(name(for: keyDescription)) == .held
    }

    /// What is known of the holder of a lease that users of the store have named.
    func report(publicName: String, in ring: Keyring) throws(KeyringError) -> LeaseReport? {
        try self.ring(ring).report(self.publicName(publicName))
    }

    private func publicName(_ name: String) -> String {
        self.name(for: "lease:" + PercentCoding.encode(name))
    }

    /// Removes leases of dead holders that nobody has asked for since.
    func sweep() throws(SecretStoreError) {
        guard let ring = try rings.leasesRing() else { return }
        do throws(KeyringError) {
            try self.ring(ring).sweep(prefix: rings.leasePrefix)
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
