import Glibc
package import Keyutils

/// A lock between processes that a dead holder can't keep, and under which a late holder can't write.
///
/// A lease is a keyring. Its holder creates it and moves it, under the lease's name, into a keyring of leases
/// (``LeaseRing``). The move is exclusive: it fails if that keyring already has a lease of that name. The lease
/// contains the key `by`, whose payload is the ``LeaseRecord``. It can also contain a key that the holder is about to
/// move out.
///
/// These are the steps. The words in parentheses state what remains if the process dies at that step.
///
/// 1. *Acquire*: the process creates the lease and `by` in its thread's own keyring, then moves the lease into the
///    keyring of leases. (Before the move: nothing. After it: the lease of a dead holder.)
/// 2. *Write under it*: the holder moves the new key into the lease, checks the clock, and moves the key out to its
///    destination. If the holder is stopped between the two moves and loses the lease, nothing comes out of the lease
///    any more. (A lease with a key that nobody sees.)
/// 3. *Take over*: if the holder's time has passed or the holder is certainly dead, another process ends the lease that
///    it **found under that name**, with three calls. It restricts the lease, so that nothing can go in; it clears the
///    lease, so that nothing can come out; and it invalidates exactly this keyring. Nothing in the record decides which
///    keyring these calls affect. (A restricted lease, which the next process takes over.)
/// 4. *Release*: the holder moves the lease out of the keyring of leases, which frees the name immediately. That move
///    acts by name, and a process that lists the keyring can delay it; a late move would remove the next holder's
///    lease. So if no more than ``margin`` is left, or if the quota has no room for the move, the holder invalidates
///    its lease. The name is then free when the kernel has collected the lease, about 20 ms later.
package struct HeldLease: ~Copyable, Sendable {
    /// The longest duration of any lease.
    package static let longest = Duration.seconds(3_600)
    /// How much time a lease must have left for its holder to rely on it.
    static let margin = BootTime(.milliseconds(2))
    static let recordName = "by"

    package let ring: Keyring
    private let leases: Keyring
    private let by: Key
    private var record: LeaseRecord
    /// The boot time at which this process began to hold the lease, in nanoseconds.
    ///
    /// Every later holder reads a later time, so it serves as the fencing number.
    package let fencingNumber: UInt64

    init(ring: Keyring, by: Key, record: LeaseRecord, in leases: Keyring) {
        self.ring = ring
        self.by = by
        self.record = record
        self.leases = leases
        fencingNumber = BootTime.now().nanoseconds
    }

    /// Whether this process certainly still holds the lease.
    ///
    /// If the process is stopped right after it asks, the answer may be outdated.
    package var isHeld: Bool { timeLeft > .zero }

    /// How long this process certainly still holds the lease.
    package var timeLeft: Duration {
        // A forked child does not hold the lease.
        getpid() == record.holder.processID ? record.deadline.since(BootTime.now() + Self.margin) : .zero
    }

    /// Extends the lease to this duration from now; false if the lease is no longer ours.
    package mutating func renew(lasting duration: Duration) throws(KeyringError) -> Bool {
        var renewed = record
        renewed.deadline = BootTime.now() + BootTime(duration)
        return try write(renewed)
    }

    /// Records a child process that may outlive us; false if the lease is no longer ours.
    package mutating func name(command processID: Int32) throws(KeyringError) -> Bool {
        var named = record
        named.command = LeaseHolder(child: processID)
        return try write(named)
    }

    private mutating func write(_ changed: LeaseRecord) throws(KeyringError) -> Bool {
        guard isHeld else { return false }
        do throws(KeyringError) {
            try changed.withPayload { payload throws(KeyringError) in try by.update(payload) }
        } catch {
            guard error.isKeyGoneOrRefused else { throw error }
            record.deadline = BootTime(nanoseconds: 0)
            return false
        }
        // If the record was written after the old deadline, it may have come too late: a process that saw the old
        // deadline pass takes over the lease anyway.
        if isHeld { record = changed } else { record.deadline = BootTime(nanoseconds: 0) }
        return isHeld
    }

    /// Moves a staged key (``Staging``) to its destination; false, with nothing changed, if the lease was lost.
    ///
    /// - Throws: ``KeyringError`` with `alreadyExists` if `exclusively` is true and the name is in use; the kernel's
    ///   error if the destination is gone. The key is discarded in both cases.
    package func place(
        _ key: Key, in destination: Keyring, exclusively: Bool = false
    ) throws(KeyringError) -> Bool {
        try hold(key) ? try move(key, from: ring, to: destination, exclusive: exclusively) : false
    }

    /// Makes a keyring in the lease; `nil` if the lease was lost.
    ///
    /// Unless the keyring is moved out, it is destroyed with the lease.
    func makeKeyring(_ name: String, permissions: KeyPermissions) throws(KeyringError) -> Keyring? {
        let made = try Keyring.thread.addKeyring(name)
        try Staging.discardIfFailing(Key(made)) { () throws(KeyringError) in
            try Key(made).setPermissions(permissions)
        }
        return try hold(Key(made)) ? made : nil
    }

    /// Moves a staged key into the lease; false if the lease was lost.
    ///
    /// Unless the key is moved out, it is destroyed with the lease.
    private func hold(_ key: Key) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            try Keyring.thread.move(key, to: ring)
            return true
        } catch {
            Staging.discard(key)
            guard error.isOfTakenLease else { throw error }
            return false
        }
    }

    /// Moves a key that was made in the lease to its destination; false if the lease was lost.
    func moveOut(_ key: Key, to destination: Keyring) throws(KeyringError) -> Bool {
        try move(key, from: ring, to: destination, exclusive: false)
    }

    /// Removes the key with the type and name of `key` from `place`; `key` itself doesn't have to be there.
    ///
    /// - Returns: false, with nothing changed, if the lease was lost.
    /// - Throws: ``KeyringError`` with `notLinked` if `place` has no key of that type and name.
    package func remove(_ key: Key, from place: Keyring) throws(KeyringError) -> Bool {
        let isDone = try move(key, from: place, to: ring, exclusive: false)
        // The key has already left its place, and is destroyed with the lease in any case.
        if isDone { try? ring.unlink(key) }
        return isDone
    }

    private func move(
        _ key: Key, from source: Keyring, to destination: Keyring, exclusive: Bool
    ) throws(KeyringError) -> Bool {
        guard isHeld else {
            try? ring.clear()
            return false
        }
        do throws(KeyringError) {
            try source.move(key, to: destination, exclusive: exclusive)
            return true
        } catch {
            // The lease was taken over, unless it is still open: a source or destination that is gone causes the same
            // errors.
            guard error.isOfTakenLease, !isOpen else {
                if source == ring { try? ring.unlink(key) }
                throw error
            }
            return false
        }
    }

    /// Whether the lease still accepts keys.
    ///
    /// The check tries to link the lease to itself. An open keyring refuses that as a cycle, a restricted one
    /// refuses everything.
    private var isOpen: Bool { (try? ring.isRestricted()) == false }

    /// Releases the lease; true if it was ours until the end, so that everything done under it counts.
    package consuming func release() -> Bool {
        let isReleased = end()
        discard self
        return isReleased
    }

    deinit {
        _ = end()
    }

    private func end() -> Bool {
        // A forked child does not hold the lease.
        guard getpid() == record.holder.processID else { return false }
        let isOurs = isHeld
        if isOurs, (try? leases.move(Key(ring), to: .thread)) != nil {
            Staging.discard(Key(ring))
            return true
        }
        // If this call succeeds, nobody had invalidated the lease before, so nobody had taken it over.
        return (try? Key(ring).invalidate()) != nil && isOurs
    }
}

extension KeyringError {
    fileprivate var isOfTakenLease: Bool {
        isKeyGoneOrRefused || code == .notPermitted || code == .notLinked
    }
}

extension HeldLease {
    /// Checks that a lease can have this duration.
    ///
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    package static func check(_ duration: Duration) throws(SecretStoreError) {
        guard duration >= .milliseconds(10), duration <= longest else { throw SecretStoreError(.leaseDuration) }
    }
}
