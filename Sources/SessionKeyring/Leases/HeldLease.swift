import Glibc
package import Keyutils

/// A lock between processes that its dead holder can't keep, and whose late holder can't write.
///
/// The lease is a fresh keyring, moved under its name into the ring of leases, where the kernel lets only one of a name in.
/// It holds `by`, the ``LeaseRecord``, and whatever its holder is about to move out or has pinned. Step by step, with what is
/// there if the process dies at it:
///
/// 1. *Acquire*: the keyring and `by` are staged in the thread's own keyring, and moved in exclusively. (Nothing, before; a
///    lease of a dead holder, after.)
/// 2. *Write under it*: the new key is moved into the lease, the clock is looked at, and the key is moved out to its place.
///    A holder that is stopped between the two moves finds that nothing comes out any more. (A lease with a key that
///    nobody sees.)
/// 3. *Take*, from a holder whose time is over or that is dead for certain: the keyring **found under that name** is
///    restricted (nothing goes in), cleared (nothing comes out) and invalidated (exactly that one). What its record says is
///    used for nothing of the kind. (A restricted lease, which the next one takes.)
/// 4. *Release*: the keyring is moved out, which frees the name at once, but only while more than ``margin`` is left: the
///    kernel's move goes by name and may wait behind somebody who lists the ring. Later, or where the quota has no room
///    for the move, the keyring is invalidated, and the name is free once the kernel has collected it, some 20 ms later.
package struct HeldLease: ~Copyable, Sendable {
    /// The longest that any lease lasts.
    package static let longest = Duration.seconds(3_600)
    /// How far from its deadline a lease must be for its holder to rely on it.
    static let margin = BootTime(.milliseconds(2))
    static let recordName = "by"

    package let ring: Keyring
    private let leases: Keyring
    private let by: Key
    private var record: LeaseRecord
    /// The boot time at which the lease was held for the first time, in nanoseconds.
    ///
    /// Whoever holds it later reads a later time, so it serves as the fencing number.
    package let fencingNumber: UInt64

    init(ring: Keyring, by: Key, record: LeaseRecord, in leases: Keyring) {
        self.ring = ring
        self.by = by
        self.record = record
        self.leases = leases
        fencingNumber = BootTime.now().nanoseconds
    }

    /// Whether the lease is surely still ours.
    ///
    /// A process that is stopped right after asking can't know.
    package var isHeld: Bool { timeLeft > .zero }

    /// How long it is surely still ours.
    package var timeLeft: Duration {
        // A forked child has no part in it.
        getpid() == record.holder.processID ? record.deadline.since(BootTime.now() + Self.margin) : .zero
    }

    /// Makes it last from now on, if it is still ours; false if it is not.
    package mutating func renew(lasting duration: Duration) throws(KeyringError) -> Bool {
        var renewed = record
        renewed.deadline = BootTime.now() + BootTime(duration)
        return try write(renewed)
    }

    /// Names a child that may outlive us; false if the lease is no longer ours.
    package mutating func name(command processID: Int32) throws(KeyringError) -> Bool {
        var named = record
        named.command = LeaseHolder(child: processID)
        return try write(named)
    }

    /// Notes what is about to be written in place; false if the lease is no longer ours.
    mutating func record(_ overwrite: LeaseRecord.Overwrite) throws(KeyringError) -> Bool {
        var noted = record
        noted.overwrite = overwrite
        return try write(noted)
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
        // Written after the old deadline, it may have come too late: somebody who had seen that one pass takes the lease
        // even so.
        if isHeld { record = changed } else { record.deadline = BootTime(nanoseconds: 0) }
        return isHeld
    }

    /// Moves a staged key to its place; false, with nothing changed, if the lease was lost.
    ///
    /// - Throws: ``KeyringError`` with `alreadyExists` if it is to be placed exclusively and the name is in use, or what tells
    ///   of a destination that is gone. The key is discarded then.
    package func place(
        _ key: Key, in destination: Keyring, exclusively: Bool = false
    ) throws(KeyringError) -> Bool {
        try hold(key) ? try move(key, from: ring, to: destination, exclusive: exclusively) : false
    }

    /// Makes a keyring in the lease, which dies with it unless it is moved out; `nil` if the lease was lost.
    func makeKeyring(_ name: String, permissions: KeyPermissions) throws(KeyringError) -> Keyring? {
        let made = try Keyring.thread.addKeyring(name)
        do throws(KeyringError) {
            try Key(made).setPermissions(permissions)
        } catch {
            Staging.discard(Key(made))
            throw error
        }
        return try hold(Key(made)) ? made : nil
    }

    /// Moves a staged key into the lease, which it dies with; false if the lease was lost.
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

    /// Moves a key that was made in the lease to its place; false if the lease was lost.
    func moveOut(_ key: Key, to destination: Keyring) throws(KeyringError) -> Bool {
        try move(key, from: ring, to: destination, exclusive: false)
    }

    /// Removes from `place` whatever bears the name of `key`, which need not be there itself; false, with nothing changed,
    /// if the lease was lost.
    ///
    /// - Throws: ``KeyringError`` with `notLinked` where nothing bears it.
    package func remove(_ key: Key, from place: Keyring) throws(KeyringError) -> Bool {
        let isDone = try move(key, from: place, to: ring, exclusive: false)
        // It is gone from its place already, and dies with the lease in any case.
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
            // The same errors tell of a place that is gone; then the lease is still open.
            guard error.isOfTakenLease, !isOpen else {
                if source == ring { try? ring.unlink(key) }
                throw error
            }
            return false
        }
    }

    /// Tries to put the lease into itself: an open keyring refuses that as a cycle, a restricted one refuses everything.
    private var isOpen: Bool {
        do throws(KeyringError) {
            return try !ring.isRestricted()
        } catch {
            return false
        }
    }

    /// Gives it back; true if it was ours to the end, so that what was done under it stands.
    package consuming func release() -> Bool {
        let isReleased = end()
        discard self
        return isReleased
    }

    deinit {
        _ = end()
    }

    private func end() -> Bool {
        // A forked child has no part in it.
        guard getpid() == record.holder.processID else { return false }
        let isOurs = isHeld
        if isOurs, (try? leases.move(Key(ring), to: .thread)) != nil {
            Staging.discard(Key(ring))
            return true
        }
        // Nobody had invalidated it before, so nobody had taken it.
        return (try? Key(ring).invalidate()) != nil && isOurs
    }
}

extension KeyringError {
    fileprivate var isOfTakenLease: Bool {
        isKeyGoneOrRefused || code == .notPermitted || code == .notLinked
    }
}

extension SecretStore {
    /// Checks how long a lease is to last.
    static func checkLease(_ duration: Duration) throws(SecretStoreError) {
        guard duration >= .milliseconds(10), duration <= HeldLease.longest else {
            throw SecretStoreError(.leaseDuration)
        }
    }
}
