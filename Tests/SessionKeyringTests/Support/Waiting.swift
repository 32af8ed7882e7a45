import Keyutils
import SessionKeyring

/// Operations that wait as a store does: a backend itself never waits.
extension SecretBackend {
    func beginUpdate(of item: ItemIdentity, lasting duration: Duration) throws(SecretStoreError) -> any ItemUpdate {
        var wait = Wait()
        return try wait.run { attempt throws(SecretStoreError) in
            try beginUpdate(of: item, lasting: duration, &attempt)
        }
    }

    func takeLease(_ name: String, lasting duration: Duration) throws(SecretStoreError) -> any LeaseHandle {
        var wait = Wait()
        return try wait.run { attempt throws(SecretStoreError) in try takeLease(name, lasting: duration, &attempt) }
    }

    func beginFetch(of item: ItemIdentity) throws(SecretStoreError) -> (any ItemFetch)? {
        var wait = Wait()
        return try wait.run { attempt throws(SecretStoreError) in try beginFetch(of: item, &attempt) }
    }
}

extension ItemUpdate {
    func commit(_ bytes: RawSpan?, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        var wait = Wait()
        return try wait.run { attempt throws(SecretStoreError) in try commit(bytes, timeout: timeout, &attempt) }
    }
}

extension ItemFetch {
    func store(_ bytes: RawSpan, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        var wait = Wait()
        return try wait.run { attempt throws(SecretStoreError) in try store(bytes, timeout: timeout, &attempt) }
    }
}

extension LeaseRing {
    /// Takes the lease of that name, or returns `nil` if others hold it until the limit.
    func acquire(
        _ name: String, lasting duration: Duration, waiting limit: Duration
    ) throws(KeyringError) -> HeldLease? {
        var wait = Wait(upTo: limit)
        do throws(SecretStoreError) {
            return try wait.run { attempt throws(SecretStoreError) in
                let lease: HeldLease?
                do throws(KeyringError) {
                    lease = try acquire(name, lasting: duration, &attempt)
                } catch {
                    throw SecretStoreError(error)
                }
                guard let lease else { throw attempt.blocked() }
                return lease
            }
        } catch {
            if let underlying = error.underlying { throw underlying }
            return nil
        }
    }

    /// Takes the lease of that name, and throws if others hold it for five seconds.
    func take(_ name: String = "job", lasting duration: Duration) throws(KeyringError) -> HeldLease {
        guard let lease = try acquire(name, lasting: duration, waiting: .seconds(5)) else {
            throw KeyringError(.alreadyExists, in: .move)
        }
        return lease
    }
}
