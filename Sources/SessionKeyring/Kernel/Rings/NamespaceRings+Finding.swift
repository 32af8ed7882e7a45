import Glibc
import Keyutils

extension NamespaceRings {
    /// The ring of that name that the anchor itself links.
    ///
    /// The kernel's search goes on into nested keyrings, and a session often links the user keyring: without the look at
    /// the anchor's members, the session scope would take the user scope's ring for its own.
    func find(_ name: String, in anchor: Keyring) throws(SecretStoreError) -> Keyring? {
        do throws(KeyringError) {
            let found = try anchor.find(keyring: name)
            let look = try anchor.look(for: Key(found))
            rememberSize(look.size)
            return look.isLinked ? found : nil
        } catch {
            if error.code == .accessDenied, isOtherThreads(anchor) {
                throw SecretStoreError(.foreignThread, underlying: error)
            }
            guard error.isKeyGone else { throw SecretStoreError(error) }
            // Either the ring is dead, or the anchor: the session that has ended.
            if error.isKeyDead { _ = try inStoreTerms { () throws(KeyringError) in try Key(anchor).describe() } }
            return nil
        }
    }

    /// Whether it is the keyring of a process or thread that the calling thread has no part in.
    private func isOtherThreads(_ anchor: Keyring) -> Bool {
        switch scope {
        case .process: (try? Keyring.resolve(.processKeyring)) != anchor
        case .thread: (try? Keyring.resolve(.threadKeyring)) != anchor
        default: false
        }
    }

    /// The ring of that name, made where there is none or a dead one.
    ///
    /// Of many processes that make it at once, all get the same one: whoever makes it holds the lease on its *name*, kept in
    /// the anchor, because the leases' own ring may be the one that is dead. The new ring leaves that lease by one move,
    /// which displaces a dead link; nothing is unlinked, for that goes by name and would hit the successor that another
    /// process has just made, with what was stored in it.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if the attempt is blocked.
    func findOrMake(
        _ name: String, in anchor: Keyring, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Keyring {
        for _ in 0..<SecondLooks.madeRings {
            if let found = try find(name, in: anchor) { return found }
            let made = try inStoreTerms { () throws(KeyringError) in
                try scope == .thread ? makeInThread(name) : make(name, in: anchor, &attempt)
            }
            if let made { return made }
            if attempt.blockage != nil { throw attempt.blocked() }
        }
        throw SecretStoreError(.blocked(.ringMaker))
    }

    /// What the names of the leases of makers begin with.
    static let makingPrefix = "skr-making:"

    /// Makes a ring, with what is in `old` if that is to be replaced.
    ///
    /// - Returns: `nil` if another process was first or the lease was lost; or if the attempt is blocked, which it notes.
    func make(
        _ name: String, in anchor: Keyring, inPlaceOf old: Keyring? = nil, _ attempt: inout BackendAttempt
    ) throws(KeyringError) -> Keyring? {
        let making: RingMaker
        if let earlier = attempt.progress?.maker.take(), earlier.name == name, earlier.lease.isHeld {
            making = earlier
        } else {
            let lease = try LeaseRing(anchor, permissions: scope.permissions).acquire(
                Self.makingPrefix + name, lasting: ItemLeases.duration, &attempt)
            guard let lease else {
                attempt.blockage = .ringMaker
                return nil
            }
            making = RingMaker(name, lease)
        }
        let state = try stateOfRing(name, in: anchor)
        if state.key != nil, try old.map({ old throws(KeyringError) in try !anchor.links(Key(old)) }) ?? true {
            return nil
        }
        if state == .dead, name == Self.leasesName, !making.isDue {
            // The next attempt goes on with this lease.
            attempt.blockage = .until(making.dueTime)
            attempt.makeProgress().maker = making
            return nil
        }
        return try make(name, in: anchor, inPlaceOf: old, under: making.lease)
    }

    private func make(
        _ name: String, in anchor: Keyring, inPlaceOf old: Keyring?, under lease: borrowing HeldLease
    ) throws(KeyringError) -> Keyring? {
        guard let ring = try lease.makeKeyring(name, permissions: scope.permissions) else { return nil }
        guard let old else { return try lease.moveOut(Key(ring), to: anchor) ? ring : nil }
        return try replace(old, by: ring, in: anchor, under: lease) ? ring : nil
    }

    /// Puts the new ring with all that is in the old one, which takes nothing any more, in its place.
    private func replace(
        _ old: Keyring, by ring: Keyring, in anchor: Keyring, under lease: borrowing HeldLease
    ) throws(KeyringError) -> Bool {
        // So that it can be read when it has lost its place.
        try Keyring.thread.link(Key(old))
        defer { Staging.discard(Key(old)) }
        let members = try old.members()
        for member in members { try Self.link(member, to: ring) }
        // What is removed from the old one meanwhile is not to come back.
        var left = Set(try old.members())
        for member in members where !left.contains(member) { try? ring.unlink(Key(member)) }
        guard try lease.moveOut(Key(ring), to: anchor) else { return false }
        // Nobody else is to find anything in it, or to remove something from it in vain.
        try? Key(old).setPermissions(.possessorAll)
        left = Set(try old.members())
        // Exactly that, for there may be a successor.
        for member in members where !left.contains(member) { try? Key(member).invalidate() }
        return true
    }

    private static func link(_ member: KeySerial, to ring: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            try ring.link(Key(member))
        } catch {
            // It has expired, or was removed.
            guard error.isKeyGone else { throw error }
        }
    }

    /// What the name stands for in the anchor itself.
    private func stateOfRing(_ name: String, in anchor: Keyring) throws(KeyringError) -> NameState {
        let state = try anchor.state(of: .keyring, name)
        guard let ring = state.key else { return state }
        return try anchor.links(ring) ? state : .free
    }

    /// The anchor is the staging place itself, and nobody else can see it.
    private func makeInThread(_ name: String) throws(KeyringError) -> Keyring {
        let ring = try anchor.addKeyring(name)
        try Key(ring).setPermissions(scope.permissions)
        return ring
    }
}

/// A ring that is being made, under the lease on its name.
final class RingMaker {
    let name: String
    let lease: HeldLease
    /// When a leases' ring may be made in place of a dead one.
    ///
    /// Until then, the kernel collects the leases in the dead ring, through which late holders could still write.
    let dueTime = BootTime.now() + BootTime(.milliseconds(50))

    init(_ name: String, _ lease: consuming HeldLease) {
        self.name = name
        self.lease = lease
    }

    var isDue: Bool { dueTime <= .now() }
}
