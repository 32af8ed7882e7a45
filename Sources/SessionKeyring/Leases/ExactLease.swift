import Glibc
package import Keyutils

/// A lock between processes that its dead holder can't keep.
///
/// Its key carries a deadline in its payload and has no kernel timeout, because an expired key can neither be removed
/// exactly nor displaced exclusively. Who finds the deadline passed invalidates **that serial**, which can't hit a
/// successor; each acquisition publishes a key of its own.
package struct ExactLease: ~Copyable, Sendable {
    /// The longest that any lease lasts.
    package static let longest = Duration.seconds(3_600)

    private let key: Key
    private let ring: Keyring
    private var fence: KeySerial?
    private let processID = getpid()
    private var deadline: BootTime
    /// The boot time at which the lease was held for the first time, in nanoseconds.
    ///
    /// Whoever holds it later reads a later time, so it serves as the fencing number.
    package let fencingNumber: UInt64

    /// Takes the lease, or gives up.
    ///
    /// - Parameters:
    ///   - name: what is locked; the description of the lease's key.
    ///   - ring: where the leases are.
    ///   - duration: how long it lasts unless released, after which others may take it.
    ///   - patience: how long to wait for other holders.
    /// - Returns: the lease; `nil` if others held it all the time.
    package static func acquire(
        _ name: String,
        in ring: Keyring,
        permissions: KeyPermissions,
        lasting duration: Duration,
        waiting patience: Duration,
        backoff: Backoff = .brisk
    ) throws(KeyringError) -> ExactLease? {
        let start = BootTime.now()
        var giveUp = start + BootTime(patience)
        var candidate = LeaseCandidate(name: name, permissions: permissions)
        defer { candidate.discard() }
        var backoff = backoff
        while true {
            let (key, record) = try candidate.prepare(deadline: BootTime.now() + BootTime(duration))
            do throws(KeyringError) {
                try Keyring.thread.move(key, to: ring, exclusive: true)
                candidate.wasPublished()
                let lease = ExactLease(key: key, ring: ring, record: record)
                // A process that was stopped in between must not take a lease that has run out for one that it holds.
                if lease.isHeld { return lease }
            } catch {
                guard error.code == .alreadyExists else { throw error }
                // A dead lease holds the name until the kernel collects it, some 20 ms later.
                if try !isHeld(name, in: ring) { giveUp = max(giveUp, start + BootTime(.milliseconds(100))) }
            }
            guard BootTime.now() < giveUp else { return nil }
            backoff.wait()
        }
    }

    private init(key: Key, ring: Keyring, record: LeaseRecord) {
        self.key = key
        self.ring = ring
        self.deadline = record.deadline
        self.fencingNumber = BootTime.now().nanoseconds
    }

    /// Whether the lease is surely still ours.
    ///
    /// A process that is stopped right after asking can't know.
    package var isHeld: Bool { timeLeft > .zero }

    /// How long it is surely still ours.
    package var timeLeft: Duration {
        let now = BootTime.now() + LeaseRecord.margin
        // A forked child has no part in it.
        return now < deadline && processID == getpid()
            ? .nanoseconds(Int64(deadline.nanoseconds - now.nanoseconds)) : .zero
    }

    /// Makes it last from now on, if it is still ours; false if it is not.
    package mutating func renew(lasting duration: Duration) throws(KeyringError) -> Bool {
        guard isHeld else { return false }
        return try write(LeaseRecord(deadline: BootTime.now() + BootTime(duration), fence: fence))
    }

    /// Names the keyring through which its holder will write, which is closed before anybody else takes the lease; false if
    /// it is no longer ours.
    package mutating func attach(_ fence: KeySerial) throws(KeyringError) -> Bool {
        guard isHeld else { return false }
        self.fence = fence
        return try write(LeaseRecord(deadline: deadline, fence: fence))
    }

    private mutating func write(_ record: LeaseRecord) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            try record.withPayload { payload throws(KeyringError) in try key.update(payload) }
        } catch {
            guard error.isAboutDeadKey else { throw error }
            deadline = BootTime(nanoseconds: 0)
            return false
        }
        // Written after the old deadline, it may have come too late: somebody who had seen that one pass takes the lease
        // even so.
        deadline = isHeld ? record.deadline : BootTime(nanoseconds: 0)
        return isHeld
    }

    deinit {
        guard processID == getpid() else { return }
        // Moving frees the name at once, and unlike unlinking it never hits a successor: the kernel turns down a key that
        // was invalidated. A release that fails is made good by the deadline.
        do throws(KeyringError) {
            try ring.move(key, to: .thread)
            Staging.discard(key)
        } catch {
            try? key.invalidate()
        }
    }

    /// Whether somebody holds the lease of that name.
    ///
    /// One whose time has passed is removed, exactly, on the way, once its holder can write no more.
    package static func isHeld(_ name: String, in ring: Keyring) throws(KeyringError) -> Bool {
        guard let (key, record) = try holder(of: name, in: ring) else { return false }
        // A key of this name that holds no record is nobody's lease, and neither is one that would last too long: its
        // clock is that of another time namespace.
        let now = BootTime.now()
        if let record, now <= record.deadline, record.deadline <= now + BootTime(longest) { return true }
        if let fence = record?.fence { try WriteFence.close(Keyring(fence), in: ring) }
        do throws(KeyringError) {
            try key.invalidate()
        } catch {
            guard error.isAboutDeadKey else { throw error }
        }
        return false
    }

    private static func holder(
        of name: String,
        in ring: Keyring
    ) throws(KeyringError) -> (key: Key, record: LeaseRecord?)? {
        do throws(KeyringError) {
            let key = try ring.search(.user, name)
            return (key, try key.withPayload { LeaseRecord(payload: $0) })
        } catch {
            guard error.isAboutDeadKey else { throw error }
            return nil
        }
    }
}

extension KeyringError {
    /// Whether the key was gone, or going, when it was touched.
    ///
    /// A key that was just displaced or invalidated may also answer that it is no longer possessed.
    var isAboutDeadKey: Bool {
        switch code {
        case .notFound, .expired, .revoked, .accessDenied: true
        default: false
        }
    }
}
