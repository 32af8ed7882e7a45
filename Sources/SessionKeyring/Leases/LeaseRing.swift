import Glibc
package import Keyutils

/// The keyring that a number of leases are in, and how they are taken there.
package struct LeaseRing {
    package let keyring: Keyring
    private let permissions: KeyPermissions
    /// Finishes what the holder of a lease that is being taken had begun.
    ///
    /// Nothing can be written through that lease any more.
    private let recover: ((_ lease: Keyring, _ record: LeaseRecord) throws(KeyringError) -> Void)?

    package init(_ keyring: Keyring, permissions: KeyPermissions) {
        self.init(keyring, permissions: permissions, recover: nil)
    }

    package init(
        _ keyring: Keyring, permissions: KeyPermissions,
        recover: ((_ lease: Keyring, _ record: LeaseRecord) throws(KeyringError) -> Void)?
    ) {
        self.keyring = keyring
        self.permissions = permissions
        self.recover = recover
    }

    /// Makes one attempt to take the lease of that name.
    ///
    /// The first attempt stages the lease before it looks, because most leases are free; every other one looks first,
    /// because staging two keys for each attempt would use up the quota.
    ///
    /// - Parameters:
    ///   - name: what is locked; the description of the lease's keyring.
    ///   - duration: how long it lasts unless released, after which others may take it.
    ///   - reason: what the attempt is blocked by if somebody holds the lease.
    /// - Returns: the lease; `nil` if the attempt is blocked.
    /// - Throws: ``KeyringError`` with `quotaExceeded` if the quota is too full for two keys, or `accessDenied` if something
    ///   has the name that can be neither looked at nor taken.
    package func acquire(
        _ name: String, lasting duration: Duration, _ attempt: inout BackendAttempt, else reason: Blockage = .itemLease
    ) throws(KeyringError) -> HeldLease? {
        var candidate = attempt.progress?.candidate.take() ?? LeaseCandidate(name: name, permissions: permissions)
        if candidate.name != name {
            candidate.discard()
            candidate = LeaseCandidate(name: name, permissions: permissions)
        }
        do throws(KeyringError) {
            if attempt.progress != nil, try isTaken(name, &attempt, reason) {
                if candidate.isStaged { attempt.makeProgress().candidate = candidate }
                return nil
            }
            do throws(KeyringError) {
                try candidate.prepare(lasting: duration)
                if let lease = try candidate.enter(keyring) { return lease }
                // This process was stopped, until its own lease had ended.
                attempt.blockage = .leaseCollection
            } catch {
                guard error.code == .alreadyExists else { throw error }
                // A name that is free now was being collected before.
                if try !isTaken(name, &attempt, reason) { attempt.blockage = .leaseCollection }
                attempt.makeProgress().candidate = candidate
            }
            return nil
        } catch {
            candidate.discard()
            throw error
        }
    }

    /// Notes what blocks the attempt if the lease's name is in use.
    private func isTaken(
        _ name: String, _ attempt: inout BackendAttempt, _ reason: Blockage
    ) throws(KeyringError) -> Bool {
        switch try look(name) {
        case .free: return false
        case .held: attempt.blockage = reason
        case .beingCollected: attempt.blockage = .leaseCollection
        }
        return true
    }

    /// What the name of a lease stands for.
    package enum State { case free, held, beingCollected }

    /// Whether somebody holds the lease of that name; one that is over is taken from its holder on the way.
    ///
    /// - Throws: ``KeyringError`` with `accessDenied` where something bears the name that can be neither looked at nor
    ///   taken.
    package func look(_ name: String) throws(KeyringError) -> State {
        // What is released while it is looked at refuses, and is not there when it is looked for again.
        for _ in 0..<SecondLooks.leaseLooks {
            do throws(KeyringError) {
                let lease = try keyring.find(keyring: name)
                // The kernel searches nested keyrings too, and those are nobody's lease here.
                guard try keyring.links(Key(lease)) else { return .free }
                return try look(at: lease)
            } catch {
                if error.isKeyDead {
                    // Either the lease, or the ring of all leases, which throws the same error.
                    _ = try Key(keyring).describe()
                    return .beingCollected
                }
                if error.isKeyGone { return .free }
                guard error.code == .accessDenied else { throw error }
            }
        }
        throw KeyringError(.accessDenied, in: .search)
    }

    private func look(at lease: Keyring) throws(KeyringError) -> State {
        var record = try record(of: lease)
        if record == nil {
            // A lease that is being released may hide its record for a moment.
            SecondLooks.afterHiddenRecord()
            guard try keyring.links(Key(lease)) else { return .free }
            record = try self.record(of: lease)
        }
        if let record, !record.isOver(at: BootTime.now()) { return .held }
        try take(lease, record)
        return .beingCollected
    }

    /// The lease's record; `nil` where it has none that can be read, and so is nobody's.
    func record(of lease: Keyring) throws(KeyringError) -> LeaseRecord? {
        do throws(KeyringError) {
            return try lease.search(.user, HeldLease.recordName).withPayload { LeaseRecord(payload: $0) }
        } catch {
            guard error.isKeyGoneOrRefused || error.code == .unsupported else { throw error }
            return nil
        }
    }

    private func take(_ lease: Keyring, _ record: LeaseRecord?) throws(KeyringError) {
        do throws(KeyringError) {
            try lease.restrict()
        } catch {
            // Somebody else was about to take it.
            guard error.code == .alreadyExists else { throw error }
        }
        if let record, let recover { try recover(lease, record) }
        do throws(KeyringError) {
            try lease.clear()
            try Key(lease).invalidate()
        } catch {
            // Somebody else has taken it.
            guard error.isKeyGoneOrRefused else { throw error }
        }
    }

    /// Takes what dead holders left and nobody has asked for since, of the leases whose names begin like that.
    ///
    /// Nothing but a lease that says of itself that it is over is touched.
    func sweep(prefix: String) throws(KeyringError) {
        for serial in try keyring.members() {
            do throws(KeyringError) {
                let key = try Key(serial).describe()
                guard key.type == .keyring, key.name.utf8.starts(with: prefix.utf8),
                    let record = try record(of: Keyring(serial)), record.isOver(at: BootTime.now())
                else { continue }
                try take(Keyring(serial), record)
            } catch {
                // Gone meanwhile, or not for us to look at.
                guard error.isKeyGoneOrRefused else { throw error }
            }
        }
    }
}

/// The staged keyring of the next attempt to take a lease.
///
/// One that did not get in is used again, because adding and dropping keys for each attempt would use up the quota; one
/// that did get in never is.
struct LeaseCandidate {
    let name: String
    private let permissions: KeyPermissions
    private var staged: (ring: Keyring, by: Key)?
    private var record = LeaseRecord(holder: .current, acquired: .now(), deadline: .now())

    init(name: String, permissions: KeyPermissions) {
        self.name = name
        self.permissions = permissions
    }

    var isStaged: Bool { staged != nil }

    mutating func prepare(lasting duration: Duration) throws(KeyringError) {
        record.acquired = .now()
        record.deadline = record.acquired + BootTime(duration)
        if let staged {
            try record.withPayload { payload throws(KeyringError) in try staged.by.update(payload) }
        } else {
            staged = try stage()
        }
    }

    private func stage() throws(KeyringError) -> (ring: Keyring, by: Key) {
        let ring = try Keyring.thread.addKeyring(name)
        do throws(KeyringError) {
            let by = try record.withPayload { payload throws(KeyringError) in
                try ring.add(.user, HeldLease.recordName, payload: payload)
            }
            try by.setPermissions(permissions)
            try Key(ring).setPermissions(permissions)
            return (ring, by)
        } catch {
            Staging.discard(Key(ring))
            throw error
        }
    }

    /// Moves it in; `nil` where its time was over before it could be relied on.
    mutating func enter(_ leases: Keyring) throws(KeyringError) -> HeldLease? {
        guard let (ring, by) = staged else { return nil }
        try Keyring.thread.move(Key(ring), to: leases, exclusive: true)
        staged = nil
        // A process that was stopped in between must not take a lease that has run out for one that it holds.
        let lease = HeldLease(ring: ring, by: by, record: record, in: leases)
        if lease.isHeld { return lease }
        return nil
    }

    func discard() {
        if let staged { Staging.discard(Key(staged.ring)) }
    }
}

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

    /// A report about the holder of a lease that users of the store have named.
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
