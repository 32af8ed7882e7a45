import Keyutils
import Synchronization

extension KernelBackend {
    package func tryLease(
        _ name: String, lasting duration: Duration
    ) throws(SecretStoreError) -> (any LeaseHandle)? {
        try rings.requireOwnSession()
        for _ in 0..<RetryBudget.replacedRings {
            let ring = try rings.pair(mayWait: mayWait).leases
            do throws(KeyringError) {
                let lease = try waiting(.long).wait { () throws(KeyringError) in
                    try leases.acquire(publicName: name, in: ring, lasting: duration)
                }
                guard let lease else { return nil }
                return KernelLease(lease)
            } catch {
                // The ring itself was removed; there may be a new one.
                guard error.isKeyGoneOrRefused, try rings.findOrMakePair(mayWait: mayWait).leases != ring else {
                    throw SecretStoreError(error)
                }
            }
        }
        throw SecretStoreError(.contended)
    }

    package func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool {
        guard let ring = try rings.leases() else { return false }
        do throws(KeyringError) {
            return try leases.isHeld(publicName: name, in: ring)
        } catch {
            // A ring that was removed has taken its leases with it.
            guard error.isKeyGoneOrRefused, try rings.findLeases() != ring else { throw SecretStoreError(error) }
            return false
        }
    }

    /// What is known of who holds the lease of that name; `nil` where nobody does, or nothing can be read of it.
    package func leaseReport(_ name: String) -> LeaseReport? {
        guard let ring = try? rings.leases() else { return nil }
        return try? leases.report(publicName: name, in: ring)
    }
}

/// A lease of the kernel's that tasks may hand around.
final class KernelLease: LeaseHandle {
    let fencingNumber: UInt64
    private let lease: Mutex<RingLease?>

    fileprivate init(_ lease: consuming RingLease) {
        fencingNumber = lease.fencingNumber
        self.lease = Mutex(lease)
    }

    var timeLeft: Duration {
        lease.withLock { lease in lease.timeLeft }
    }

    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool {
        do throws(KeyringError) {
            return try lease.withLock { lease throws(KeyringError) in
                try lease?.renew(lasting: duration) ?? false
            }
        } catch {
            throw SecretStoreError(error)
        }
    }

    func name(command processID: Int32) throws(SecretStoreError) -> Bool {
        do throws(KeyringError) {
            return try lease.withLock { lease throws(KeyringError) in
                try lease?.name(command: processID) ?? false
            }
        } catch {
            throw SecretStoreError(error)
        }
    }

    func release() -> Bool {
        lease.withLock { lease in lease.take()?.release() ?? false }
    }
}

extension Optional where Wrapped == RingLease, Wrapped: ~Copyable {
    /// How long it is surely still ours; nothing once it was released.
    fileprivate var timeLeft: Duration {
        switch self {
        case .some(let lease): lease.timeLeft
        case nil: .zero
        }
    }
}
