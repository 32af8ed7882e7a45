import Glibc
package import Keyutils

/// A keyring of leases, and the operations that take them.
package struct LeaseRing {
    package let keyring: Keyring
    private let permissions: KeyPermissions

    package init(_ keyring: Keyring, permissions: KeyPermissions) {
        self.keyring = keyring
        self.permissions = permissions
    }

    /// Makes one attempt to take the lease with this name.
    ///
    /// The first attempt stages the lease before it looks, because most leases are free. Every later attempt looks
    /// first, because staging two keys for each attempt would use up the quota.
    ///
    /// - Parameters:
    ///   - name: the name to lock, which is the description of the lease's keyring.
    ///   - duration: how long the lease lasts unless it is released. After that, others can take it over.
    ///   - reason: the blockage to report if somebody holds the lease.
    /// - Throws: ``KeyringError`` with `quotaExceeded` if the quota has no room for two keys, or `accessDenied` if the
    ///   name belongs to something that this process can neither look at nor take over.
    package func acquire(
        _ name: String, lasting duration: Duration, _ effort: Effort, else reason: Blockage = .itemLease
    ) throws(KeyringError) -> Step<HeldLease> {
        if !effort.isFirst, let blockage = try blockage(of: name, reason) { return .blocked(blockage) }
        do throws(KeyringError) {
            let candidate = try LeaseCandidate(name, permissions: permissions, lasting: duration)
            if let lease = try candidate.enter(keyring) { return .done(lease) }
            // This process was stopped until its own lease had ended.
            return .blocked(.leaseCollection)
        } catch {
            guard error.code == .alreadyExists else { throw error }
            // If the name is free now, the kernel was still collecting the earlier lease.
            return .blocked(try blockage(of: name, reason) ?? .leaseCollection)
        }
    }

    /// Returns what blocks the lease; `nil` if its name is free.
    private func blockage(of name: String, _ reason: Blockage) throws(KeyringError) -> Blockage? {
        switch try look(name) {
        case .free: nil
        case .held: reason
        case .beingCollected: .leaseCollection
        }
    }

    /// The state of a lease's name.
    package enum State { case free, held, beingCollected }

    /// Looks up the lease with this name, and takes it over if it has ended.
    ///
    /// - Throws: ``KeyringError`` with `accessDenied` if the name belongs to something that this process can neither
    ///   look at nor take over.
    package func look(_ name: String) throws(KeyringError) -> State {
        // A lease that is released during the look refuses access. The next search does not find it any more.
        for _ in 0..<SecondLooks.leaseLooks {
            do throws(KeyringError) {
                let lease = try keyring.find(keyring: name)
                // The kernel also searches nested keyrings; a keyring in one of those is not a lease of this ring.
                guard try keyring.links(Key(lease)) else { return .free }
                return try look(at: lease)
            } catch {
                if error.isKeyDead {
                    // Either the lease is dead, or the ring of all leases. If it is the ring, describing it throws the
                    // same error.
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
        try take(lease)
        return .beingCollected
    }

    /// Reads the lease's record; `nil` if it can't be read, so that the lease belongs to nobody.
    func record(of lease: Keyring) throws(KeyringError) -> LeaseRecord? {
        do throws(KeyringError) {
            return try lease.search(.user, HeldLease.recordName).withPayload { LeaseRecord(payload: $0) }
        } catch {
            guard error.isKeyGoneOrRefused || error.code == .unsupported else { throw error }
            return nil
        }
    }

    private func take(_ lease: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            try lease.restrict()
        } catch {
            // Another process has begun to take it over.
            guard error.code == .alreadyExists else { throw error }
        }
        // If the lease is gone, another process has taken it over.
        try unlessGoneOrRefused { () throws(KeyringError) in
            try lease.clear()
            try Key(lease).invalidate()
        }
    }

    /// Removes leases that have ended, and whose names nobody has asked for since; returns how many.
    ///
    /// It touches only leases whose names begin with `prefix` and whose records show that they have ended.
    @discardableResult
    func sweep(prefix: String) throws(KeyringError) -> Int {
        var count = 0
        for serial in try keyring.members() {
            // Skip a lease that is gone by now, or that this process isn't allowed to look at.
            try unlessGoneOrRefused { () throws(KeyringError) in
                let key = try Key(serial).describe()
                guard key.type == .keyring, key.name.utf8.starts(with: prefix.utf8),
                    let record = try record(of: Keyring(serial)), record.isOver(at: BootTime.now())
                else { return }
                try take(Keyring(serial))
                count += 1
            }
        }
        return count
    }
}

/// A staged keyring that becomes a lease if it gets in; otherwise it is discarded.
private struct LeaseCandidate {
    private let ring: Keyring
    private let by: Key
    private let record: LeaseRecord

    init(_ name: String, permissions: KeyPermissions, lasting duration: Duration) throws(KeyringError) {
        let now = BootTime.now()
        let record = LeaseRecord(holder: .current, acquired: now, deadline: now + BootTime(duration))
        let ring = try Keyring.thread.addKeyring(name)
        by = try Staging.discardIfFailing(Key(ring)) { () throws(KeyringError) -> Key in
            let by = try record.withPayload { payload throws(KeyringError) in
                try ring.add(.user, HeldLease.recordName, payload: payload)
            }
            try by.setPermissions(permissions)
            try Key(ring).setPermissions(permissions)
            return by
        }
        (self.ring, self.record) = (ring, record)
    }

    /// Moves the candidate in; `nil` if its time passed before this process could rely on it.
    func enter(_ leases: Keyring) throws(KeyringError) -> HeldLease? {
        try Staging.discardIfFailing(Key(ring)) { () throws(KeyringError) in
            try Keyring.thread.move(Key(ring), to: leases, exclusive: true)
        }
        // If the process was stopped in between, it must not believe that it holds a lease that has already ended.
        let lease = HeldLease(ring: ring, by: by, record: record, in: leases)
        if lease.isHeld { return lease }
        return nil
    }
}
