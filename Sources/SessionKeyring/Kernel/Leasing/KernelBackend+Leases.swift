import Keyutils

extension KernelBackend {
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
                switch try itemLeases.acquire(publicName: name, in: ring, lasting: duration, effort) {
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
            return try itemLeases.isHeld(publicName: name, in: ring)
        } catch {
            // If the ring was removed, its leases are gone too.
            guard error.isKeyGoneOrRefused, try rings.findLeasesRing() != ring else { throw SecretStoreError(error) }
            return false
        }
    }

    package func leaseReport(_ name: String) -> LeaseReport? {
        guard let ring = try? rings.leasesRing() else { return nil }
        return try? itemLeases.report(publicName: name, in: ring)
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
