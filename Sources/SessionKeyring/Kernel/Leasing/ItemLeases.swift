import Keyutils

/// The leases of a namespace: those of its items, and those that users of the store have named.
///
/// Some operations look at an item, and displace or remove it because of what they saw. They hold the item's lease from
/// before the look until after the change.
struct ItemLeases {
    /// How long the lease of an item lasts.
    ///
    /// That is longer than any holder needs for its few system calls. If a holder dies and the waiting processes can't
    /// see that, they lose this much time.
    static let duration = Duration.seconds(2)

    let rings: NamespaceRings

    private func ring(_ ring: Keyring) -> LeaseRing {
        LeaseRing(ring, permissions: rings.scope.permissions)
    }

    /// Takes the lease of the key with this description.
    func acquire(
        for keyDescription: String, in ring: Keyring, lasting duration: Duration = duration, _ effort: Effort
    ) throws(KeyringError) -> Step<HeldLease> {
        try self.ring(ring).acquire(name(for: keyDescription), lasting: duration, effort)
    }

    /// Takes a lease that users of the store have named.
    func acquire(
        publicName: String, in ring: Keyring, lasting duration: Duration, _ effort: Effort
    ) throws(KeyringError) -> Step<HeldLease> {
        try self.ring(ring).acquire(self.publicName(publicName), lasting: duration, effort, else: .namedLease)
    }

    /// Returns whether somebody holds a lease that users of the store have named.
    func isHeld(publicName: String, in ring: Keyring) throws(KeyringError) -> Bool {
        try self.ring(ring).look(self.publicName(publicName)) == .held
    }

    /// Returns whether somebody holds the lease of the key with this description.
    func isHeld(_ keyDescription: String, in ring: Keyring) throws(KeyringError) -> Bool {
        try self.ring(ring).look(name(for: keyDescription)) == .held
    }

    /// Returns a report about the holder of a lease that users of the store have named.
    func report(publicName: String, in ring: Keyring) throws(KeyringError) -> LeaseReport? {
        try self.ring(ring).report(self.publicName(publicName))
    }

    private func publicName(_ name: String) -> String {
        self.name(for: "lease:" + PercentCoding.encode(name))
    }

    /// Removes leases that have ended, and whose names nobody has asked for since; returns how many.
    @discardableResult
    func sweep() throws(SecretStoreError) -> Int {
        guard let ring = try rings.leasesRing() else { return 0 }
        do throws(KeyringError) {
            return try self.ring(ring).sweep(prefix: rings.leasePrefix)
                + self.ring(rings.anchor).sweep(
                    prefix: NamespaceRings.makingPrefix)
        } catch {
            // The ring was removed, and every lease with it.
            guard error.isKeyGoneOrRefused else { throw SecretStoreError(error) }
            return 0
        }
    }

    /// Returns the name of a key's lease, which is a hash if the name would be too long.
    ///
    /// The kernel searches short names faster. If two items' leases have the same name, the items' writers wait for
    /// each other, which does no other harm.
    func name(for keyDescription: String) -> String {
        let name = rings.leasePrefix + keyDescription
        guard name.utf8.count > 255 else { return name }
        return rings.leasePrefix + "#" + String(unsafe FNV1a.hash(of: name.utf8Span.span.bytes), radix: 16)
    }
}
