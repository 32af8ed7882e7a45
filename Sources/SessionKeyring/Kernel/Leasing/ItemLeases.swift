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

    func ring(_ ring: Keyring) -> LeaseRing {
        LeaseRing(ring, permissions: rings.permissions)
    }

    /// Takes the lease of the key with this description.
    ///
    /// - Parameter reason: the blockage to report if somebody holds the lease.
    func acquire(
        for keyDescription: String, in ring: Keyring, lasting duration: Duration = duration, _ effort: Effort,
        else reason: Blockage = .itemLease
    ) throws(KeyringError) -> Step<HeldLease> {
        try self.ring(ring).acquire(name(for: keyDescription), lasting: duration, effort, else: reason)
    }

    /// Returns whether somebody holds the lease of the key with this description.
    func isHeld(_ keyDescription: String, in ring: Keyring) throws(KeyringError) -> Bool {
        try self.ring(ring).look(name(for: keyDescription)) == .held
    }

    /// Returns a report about the holder of the lease of the key with this description.
    func report(_ keyDescription: String, in ring: Keyring) throws(KeyringError) -> LeaseReport? {
        try self.ring(ring).report(name(for: keyDescription))
    }

    /// Returns what stands for the description of a key in a lease that users of the store have named.
    static func description(ofNamed name: String) -> String { "lease:" + PercentCoding.encode(name) }

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

extension KernelBackend {
    var itemLeases: ItemLeases { ItemLeases(rings: rings) }

    /// Takes the item's lease once all writers have seen the update flag, for a change that depends on the old value.
    ///
    /// - Parameter staged: the item's lease that was staged on this thread.
    func acquireFlagged(
        _ item: ItemIdentity, in leases: Keyring, lasting duration: Duration = ItemLeases.duration, _ effort: Effort,
        staged: StagedLease? = nil
    ) throws(KeyringError) -> Step<HeldLease> {
        if let blockage = try rings.raiseUpdateFlag(in: leases) { return .blocked(blockage) }
        if let staged {
            do throws(KeyringError) {
                return try itemLeases.ring(leases).acquire(staged, lasting: duration, effort)
            } catch {
                // The staged lease has ended, so take one in the usual way.
                guard error.isKeyGoneOrRefused else { throw error }
            }
        }
        return try itemLeases.acquire(for: item.keyDescription, in: leases, lasting: duration, effort)
    }

    package func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        try rings.requireOwnSession()
        return try .of { () throws(SecretStoreError) in
            try inRoom(effort) { () throws(SecretStoreError) in
                try acquireLease(name, lasting: duration, effort)
            }
        }
    }

    private func acquireLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> any LeaseHandle {
        for _ in 0..<SecondLooks.replacedRings {
            let ring = try rings.pair(effort).leases
            let step: Step<KernelLease>
            do throws(KeyringError) {
                switch try itemLeases.acquire(
                    for: ItemLeases.description(ofNamed: name), in: ring, lasting: duration, effort, else: .namedLease)
                {
                case .done(let lease): step = .done(KernelLease(lease))
                case .blocked(let reason): step = .blocked(reason)
                }
            } catch {
                // Another process removed the ring itself. There may be a new one.
                guard error.isKeyGoneOrRefused, try rings.findOrMakePair(effort).leases != ring else {
                    throw SecretStoreError(error)
                }
                continue
            }
            switch step {
            case .done(let lease): return lease
            case .blocked(let reason): throw SecretStoreError(.blocked(reason))
            }
        }
        throw SecretStoreError(.blocked(.ringMaker))
    }

    package func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool {
        guard let ring = try rings.leasesRing() else { return false }
        do throws(KeyringError) {
            return try itemLeases.isHeld(ItemLeases.description(ofNamed: name), in: ring)
        } catch {
            // If the ring was removed, its leases are gone too.
            guard error.isKeyGoneOrRefused, try rings.findLeasesRing() != ring else { throw SecretStoreError(error) }
            return false
        }
    }

    package func isBeingWritten(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        guard let ring = try rings.leasesRing() else { return false }
        return try inStoreTerms(item) { () throws(KeyringError) in
            // If the ring was removed, its leases are gone too.
            try unlessGoneOrRefused { () throws(KeyringError) in
                try itemLeases.isHeld(item.keyDescription, in: ring)
            } ?? false
        }
    }

    package func leaseReport(_ name: String) -> LeaseReport? {
        guard let ring = try? rings.leasesRing() else { return nil }
        return try? itemLeases.report(ItemLeases.description(ofNamed: name), in: ring)
    }
}

/// A lease in the kernel that tasks can pass around.
final class KernelLease: LeaseHandle {
    let fencingNumber: UInt64
    private let lease: LockBox<HeldLease?>

    fileprivate init(_ lease: consuming HeldLease) {
        fencingNumber = lease.fencingNumber
        self.lease = LockBox(lease)
    }

    var timeLeft: Duration {
        lease.withLock { lease in lease.timeLeft }
    }

    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool {
        try inStoreTerms { () throws(KeyringError) in
            try lease.withLock { lease throws(KeyringError) in try lease?.renew(lasting: duration) ?? false }
        }
    }

    func name(command processID: Int32) throws(SecretStoreError) -> Bool {
        try inStoreTerms { () throws(KeyringError) in
            try lease.withLock { lease throws(KeyringError) in try lease?.name(command: processID) ?? false }
        }
    }

    func release() -> Bool {
        // Not under the lock: a process that lists the keyring of leases delays the release, and other leases' renewals
        // may wait for a renewal of this one.
        lease.withLock { lease in lease.take() }?.release() ?? false
    }
}

extension Optional where Wrapped == HeldLease, Wrapped: ~Copyable {
    /// How long the lease is certainly still ours; zero after its release.
    fileprivate var timeLeft: Duration {
        switch self {
        case .some(let lease): lease.timeLeft
        case nil: .zero
        }
    }
}
