import Keyutils
import Synchronization

extension NamespaceRings {
    /// Finds the ring with this name that the anchor itself links.
    ///
    /// The kernel's search continues into nested keyrings, and a session often links the user keyring. Without the look
    /// at the anchor's members, the session scope would use the user scope's ring as its own.
    func find(_ name: String, in anchor: Keyring) throws(SecretStoreError) -> Keyring? {
        do throws(KeyringError) {
            let found = try anchor.find(keyring: name)
            return try anchor.links(Key(found)) ? found : nil
        } catch {
            if error.code == .accessDenied, isOtherThreads(anchor) {
                throw SecretStoreError(.foreignThread, underlying: error)
            }
            guard error.isKeyGone else { throw SecretStoreError(error) }
            // Either the ring is dead, or the anchor is, because the session has ended. A dead anchor is an error.
            if error.isKeyDead { _ = try inStoreTerms { () throws(KeyringError) in try Key(anchor).describe() } }
            return nil
        }
    }

    /// Returns whether the anchor belongs to a process or thread that the calling thread is not part of.
    private func isOtherThreads(_ anchor: Keyring) -> Bool {
        switch scope {
        case .process: (try? Keyring.resolve(.processKeyring)) != anchor
        case .thread: (try? Keyring.resolve(.threadKeyring)) != anchor
        default: false
        }
    }

    /// Finds the ring with this name, or makes it if it is absent or dead.
    ///
    /// If many processes make the ring at the same time, all of them get the same one. The words in parentheses state
    /// what remains if the process dies at that step.
    ///
    /// 1. *Acquire*: the process takes the lease on the ring's *name*. That lease is in the anchor, because the leases'
    ///    own ring may be the dead one. (A lease, which others take over.)
    /// 2. *Make*: the process makes the new ring in the lease. (A lease with the new ring, which others take over.)
    /// 3. *Move*: the process moves the new ring from the lease to the anchor. This one move also displaces a dead
    ///    ring's link. (The new ring.)
    ///
    /// No process unlinks a dead ring. Unlinking acts by name, so it would remove the successor that another process
    /// has just made, with the items stored in it.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if the attempt is blocked.
    func findOrMake(
        _ name: String, in anchor: Keyring, _ effort: Effort
    ) throws(SecretStoreError) -> Keyring {
        for _ in 0..<SecondLooks.madeRings {
            if let found = try find(name, in: anchor) { return found }
            let step = try inStoreTerms { () throws(KeyringError) -> Step<Keyring?> in
                try scope == .thread ? .done(makeInThread(name)) : make(name, in: anchor, effort)
            }
            switch step {
            case .done(let made?): return made
            case .done(nil): continue
            case .blocked(let reason): throw SecretStoreError(.blocked(reason))
            }
        }
        throw SecretStoreError(.blocked(.ringMaker))
    }

    /// The prefix of the names of the leases for making rings.
    static let makingPrefix = "skr-making:"

    /// Makes a ring; if it replaces `old`, it gets the members of `old`.
    ///
    /// - Returns: `nil` if another process was first, or if the lease was lost.
    func make(
        _ name: String, in anchor: Keyring, inPlaceOf old: Keyring? = nil, _ effort: Effort
    ) throws(KeyringError) -> Step<Keyring?> {
        let making: RingMaking
        if let earlier = RingMaking.take(name, of: self), earlier.lease.isHeld {
            making = earlier
        } else {
            let ring = LeaseRing(anchor, permissions: permissions)
            switch try ring.acquire(
                Self.makingPrefix + name, lasting: ItemLeases.duration, effort, else: .ringMaker)
            {
            case .done(let lease): making = RingMaking(name, of: self, lease)
            case .blocked: return .blocked(.ringMaker)
            }
        }
        let state = try stateOfRing(name, in: anchor)
        if state.key != nil, try old.map({ old throws(KeyringError) in try !anchor.links(Key(old)) }) ?? true {
            return .done(nil)
        }
        if state == .dead, name == Self.leasesName, !making.isDue {
            // The next attempt continues with this lease. If there isn't one, the lease ends soon.
            _ = try making.lease.renew(lasting: RingMaking.longestPause)
            making.keep()
            return .blocked(.until(making.dueTime))
        }
        return .done(try make(name, in: anchor, inPlaceOf: old, under: making.lease))
    }

    private func make(
        _ name: String, in anchor: Keyring, inPlaceOf old: Keyring?, under lease: borrowing HeldLease
    ) throws(KeyringError) -> Keyring? {
        guard let ring = try lease.makeKeyring(name, permissions: permissions) else { return nil }
        guard let old else { return try lease.moveOut(Key(ring), to: anchor) ? ring : nil }
        return try replace(old, by: ring, in: anchor, under: lease) ? ring : nil
    }

    /// Puts a new ring with the same members in the place of an old one that takes no more keys.
    private func replace(
        _ old: Keyring, by ring: Keyring, in anchor: Keyring, under lease: borrowing HeldLease
    ) throws(KeyringError) -> Bool {
        // Keeps the old ring readable after it has been displaced.
        try Keyring.thread.link(Key(old))
        defer { Staging.discard(Key(old)) }
        let members = try old.members()
        for member in members { try Self.link(member, to: ring) }
        // If others remove a key from the old ring in the meantime, it must not come back.
        var left = Set(try old.members())
        for member in members where !left.contains(member) { try? ring.unlink(Key(member)) }
        guard try lease.moveOut(Key(ring), to: anchor) else { return false }
        // From now on, no other process can use the old ring, neither to find a key nor to remove one from it alone.
        try? Key(old).setPermissions(.possessorAll)
        left = Set(try old.members())
        // Invalidate exactly these keys. Unlinking acts by name, and a name may belong to a successor by now.
        for member in members where !left.contains(member) { try? Key(member).invalidate() }
        return true
    }

    private static func link(_ member: KeySerial, to ring: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            try ring.link(Key(member))
        } catch {
            // The key has expired or was removed.
            guard error.isKeyGone else { throw error }
        }
    }

    /// Looks up the name in the anchor itself, without nested keyrings.
    private func stateOfRing(_ name: String, in anchor: Keyring) throws(KeyringError) -> NameState {
        let state = try anchor.state(of: .keyring, name)
        guard let ring = state.key else { return state }
        return try anchor.links(ring) ? state : .free
    }

    /// Makes a ring directly in the thread keyring, which nobody else can see.
    private func makeInThread(_ name: String) throws(KeyringError) -> Keyring {
        let ring = try anchor.addKeyring(name)
        try Key(ring).setPermissions(permissions)
        return ring
    }
}

/// A ring that is being made, with the lease on its name.
///
/// If the ring can't be made yet, the process keeps this object for the next attempt of any thread that uses the same
/// ``NamespaceRings``, and drops it with them.
final class RingMaking {
    /// How long the lease is kept for the next attempt.
    static let longestPause = Duration.milliseconds(200)

    private let name: String
    private let owner: ObjectIdentifier
    var lease: HeldLease
    /// When a new leases' ring can replace a dead one.
    ///
    /// Before that, late holders could still write through leases in the dead ring that the kernel has not collected.
    let dueTime = BootTime.now() + BootTime(.milliseconds(50))

    init(_ name: String, of owner: NamespaceRings, _ lease: consuming HeldLease) {
        (self.name, self.owner) = (name, ObjectIdentifier(owner))
        self.lease = lease
    }

    var isDue: Bool { dueTime <= .now() }

    // Not in each namespace, where every start of a command would build the type of the lock with its state.
    private static let kept = LockBox<[RingMaking]>([])
    private static let wasAnyKept = Atomic(false)

    func keep() {
        Self.kept.withLock { $0.append(self) }
        Self.wasAnyKept.store(true, ordering: .relaxed)
    }

    /// Takes the ring that an earlier attempt has begun to make.
    static func take(_ name: String, of owner: NamespaceRings) -> RingMaking? {
        take { $0.name == name && $0.owner == ObjectIdentifier(owner) }.first
    }

    /// Gives up the rings that nobody can continue to make.
    static func drop(of owner: NamespaceRings) {
        _ = take { $0.owner == ObjectIdentifier(owner) }
    }

    /// Takes objects out of the list; those that the caller drops are destroyed after the lock is released.
    private static func take(where isMeant: (RingMaking) -> Bool) -> [RingMaking] {
        guard wasAnyKept.load(ordering: .relaxed) else { return [] }
        return kept.withLock { kept in
            let taken = kept.filter(isMeant)
            kept.removeAll(where: isMeant)
            return taken
        }
    }
}
