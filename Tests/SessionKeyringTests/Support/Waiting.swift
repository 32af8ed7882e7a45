import Keyutils
import SessionKeyring

/// Operations that wait as a store does: a backend itself never waits.
extension SecretBackend {
    func beginUpdate(of item: ItemIdentity, lasting duration: Duration) throws(SecretStoreError) -> any ItemUpdate {
        var wait = Wait()
        return try wait.run { effort throws(SecretStoreError) in
            try beginUpdate(of: item, lasting: duration, effort)
        }
    }

    func takeLease(_ name: String, lasting duration: Duration) throws(SecretStoreError) -> any LeaseHandle {
        var wait = Wait()
        return try wait.run { effort throws(SecretStoreError) in try takeLease(name, lasting: duration, effort) }
    }

    func beginFetch(of item: ItemIdentity) throws(SecretStoreError) -> (any ItemFetch)? {
        var wait = Wait()
        return try wait.run { effort throws(SecretStoreError) in try beginFetch(of: item, reserving: nil, effort) }
    }
}

extension ItemUpdate {
    func commit(_ bytes: RawSpan?, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        var wait = Wait()
        return try wait.run { effort throws(SecretStoreError) in try commit(bytes, timeout: timeout, nil, effort) }
    }
}

extension ItemFetch {
    /// Returns whether the value was stored.
    func store(_ bytes: RawSpan, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        var wait = Wait()
        let storage = try wait.run { effort throws(SecretStoreError) in
            try store(bytes, timeout: timeout, nil, effort)
        }
        return storage != .nothing
    }
}

extension LeaseRing {
    /// Takes the lease of that name, or returns `nil` if others hold it until the limit.
    func acquire(
        _ name: String, lasting duration: Duration, waiting limit: Duration
    ) throws(KeyringError) -> HeldLease? {
        var wait = Wait(upTo: limit)
        while true {
            let reason: Blockage
            do throws(KeyringError) {
                switch try acquire(name, lasting: duration, wait.effort) {
                case .done(let lease): return lease
                case .blocked(let blockage): reason = blockage
                }
            } catch {
                guard error.code == .quotaExceeded, wait.sleep(after: SecretStoreError(error)) else { throw error }
                continue
            }
            guard wait.sleep(after: SecretStoreError(.blocked(reason))) else { return nil }
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

extension Step where Output: ~Copyable {
    /// The reason why the step is blocked; `nil` if it is done.
    var blockage: Blockage? {
        switch self {
        case .done: nil
        case .blocked(let reason): reason
        }
    }
}
