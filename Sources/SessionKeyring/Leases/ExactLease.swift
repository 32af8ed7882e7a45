import Glibc
package import Keyutils

/// A lock between processes that its dead holder can't keep.
///
/// Its key carries a deadline in its payload and has no kernel timeout, because an expired key can neither be removed
/// exactly nor displaced exclusively. Who finds the deadline passed invalidates **that serial**, which can't hit a
/// successor; each acquisition publishes a key of its own.
package struct ExactLease: ~Copyable {
    /// The longest that any lease lasts.
    private static let longest = BootTime(.seconds(3_600))

    private let key: Key
    private let ring: Keyring
    private let record: LeaseRecord

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
        waiting patience: Duration
    ) throws(KeyringError) -> ExactLease? {
        let giveUp = BootTime.now() + BootTime(patience)
        var candidate = Candidate(name: name, permissions: permissions)
        defer { candidate.discard() }
        var pause: UInt32 = 20
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
                _ = try isHeld(name, in: ring)
            }
            guard BootTime.now() < giveUp else { return nil }
            usleep(pause)
            pause = min(pause * 2, 5_000)
        }
    }

    /// The staged key of the next attempt.
    ///
    /// One that did not get in is used again, because adding and dropping a key for each attempt would use up the
    /// quota; one that did get in never is.
    private struct Candidate {
        let name: String
        let permissions: KeyPermissions
        private var staged: Key?

        init(name: String, permissions: KeyPermissions) {
            self.name = name
            self.permissions = permissions
        }

        mutating func prepare(deadline: BootTime) throws(KeyringError) -> (key: Key, record: LeaseRecord) {
            let record = LeaseRecord(deadline: deadline)
            let (name, permissions, staged) = (name, permissions, staged)
            let key = try record.withPayload { payload throws(KeyringError) in
                if let staged {
                    try staged.update(payload)
                    return staged
                }
                return try Staging.stage(.user, name, payload: payload, permissions: permissions, timeout: nil)
            }
            self.staged = key
            return (key, record)
        }

        mutating func wasPublished() {
            staged = nil
        }

        func discard() {
            if let staged { Staging.discard(staged) }
        }
    }

    private init(key: Key, ring: Keyring, record: LeaseRecord) {
        self.key = key
        self.ring = ring
        self.record = record
    }

    /// Whether the lease is surely still ours.
    ///
    /// A process that is stopped right after asking can't know.
    package var isHeld: Bool { BootTime.now() + LeaseRecord.margin < record.deadline }

    deinit {
        // Unlinking goes by name, so it is for a lease that is surely still ours; it frees the name at once. A release
        // that fails is made good by the deadline.
        if isHeld {
            try? ring.unlink(key)
        } else {
            try? key.invalidate()
        }
    }

    /// Whether somebody holds the lease of that name.
    ///
    /// One whose time has passed is removed, exactly, on the way.
    package static func isHeld(_ name: String, in ring: Keyring) throws(KeyringError) -> Bool {
        guard let (key, record) = try holder(of: name, in: ring) else { return false }
        // A key of this name that holds no record is nobody's lease, and neither is one that would last too long: its
        // clock is that of another time namespace.
        let now = BootTime.now()
        if let record, now <= record.deadline, record.deadline <= now + longest { return true }
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
    fileprivate var isAboutDeadKey: Bool {
        switch code {
        case .notFound, .expired, .revoked, .accessDenied: true
        default: false
        }
    }
}
