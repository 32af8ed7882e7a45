import Keyutils
import Synchronization

extension KernelBackend {
    package func beginFetch(
        of item: ItemIdentity, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        try rings.requireOwnSession()
        let outcome = try Outcome<(any ItemFetch)?>.of { () throws(SecretStoreError) in
            let sentinel = try inRoom(effort) { () throws(SecretStoreError) in
                try placeFetchSentinel(of: item, effort)
            }
            return KernelItemFetch(
                of: item, by: self, sentinel: sentinel, before: try withKey(of: item) { _, key in key })
        }
        if case .blocked(let error, _) = outcome, error.code == .quotaExceeded, effort.mayUseLastResorts {
            return .done(nil)
        }
        return outcome
    }

    private func placeFetchSentinel(of item: ItemIdentity, _ effort: Effort) throws(SecretStoreError) -> Key {
        let one: InlineArray<1, UInt8> = [0]
        let payload = unsafe one.span.bytes
        let pending = try PendingWrite(
            of: payload, as: payload, for: item.fetchSentinel, timeout: KernelItemFetch.lifetime)
        return try withPair(for: item, effort) { pair throws(KeyringError) in
            // Don't wait until all writers have seen the flag. That usually happens during the fetch, and `place` makes
            // sure of it before it stores the result.
            _ = try rings.raiseUpdateFlag(in: pair.leases)
            let key = try stage(pending, payload)
            try Staging.discardIfFailing(key) { () throws(KeyringError) in
                try Keyring.thread.move(key, to: pair.items)
            }
            return .done(key)
        }
    }
}

/// A fetch of an item, whose result is stored only if nothing happened to the item since the fetch began.
///
/// A sentinel next to the item shows that. Every `clear` removes the sentinel. So does every process that sets or
/// deletes the item: in a namespace with fetches, these processes use leases, as the fetch does when it stores
/// its result.
final class KernelItemFetch: ItemFetch {
    /// How long the sentinel lives after each renewal; if the process dies, it expires after this time.
    static let lifetime = try? KeyTimeout(HeldLease.longest)

    private let backend: KernelBackend
    private let item: ItemIdentity
    private let before: Key?
    private let hasBeforeExpired = Atomic(false)
    private let sentinel: Key
    /// The key that an attempt has stored, though perhaps too late, after a `clear`.
    private let placed = LockBox<Key?>(nil)

    init(of item: ItemIdentity, by backend: KernelBackend, sentinel: Key, before: Key?) {
        (self.backend, self.item, self.sentinel, self.before) = (backend, item, sentinel, before)
    }

    deinit {
        // This affects exactly our sentinel. If it is already gone, the change to the item has removed it.
        try? sentinel.invalidate()
    }

    /// Renews the sentinel, for a fetch that takes long.
    ///
    /// This also notes whether the old value has expired, because the kernel forgets an expired key five minutes later.
    func renew() {
        if let lifetime = Self.lifetime { try? sentinel.setTimeout(lifetime) }
        if (try? hasExpired(before)) == true { hasBeforeExpired.store(true, ordering: .relaxed) }
    }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try .of(after: placed.withLock { $0 }.map(VisibleStep.placed)) { () throws(SecretStoreError) in
            try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
                let pending = try PendingWrite(of: bytes, as: payload, for: item, timeout: timeout)
                // A key that an earlier attempt has placed is not a change by others.
                if let placed = placed.withLock({ $0 }) { return try finish(placed) }
                guard try inItems(isUntouched) else { return false }
                return try backend.inRoom(for: pending, effort) { () throws(SecretStoreError) in
                    try place(pending, payload, effort)
                }
            }
        }
    }

    /// Places the item; false if something happened to it.
    private func place(
        _ pending: PendingWrite, _ payload: RawSpan, _ effort: Effort
    ) throws(SecretStoreError) -> Bool {
        // Without the flag, other writers would not have removed the fetch's sentinel, so it would prove nothing.
        guard let leases = try backend.rings.flaggedLeasesRing() else { return false }
        var blockage = Blockage.itemLease
        let acquired = try inStoreTerms(item) { () throws(KeyringError) -> HeldLease? in
            switch try acquire(in: leases, effort) {
            case .done(let lease): return lease
            case .blocked(let reason): blockage = reason
            }
            return nil
        }
        guard let lease = acquired else { throw SecretStoreError(.blocked(blockage), item: item) }
        let placement = try backend.withPair(for: item, effort) { pair throws(KeyringError) in
            .done(try place(pending, payload, in: pair.items, under: lease))
        }
        switch placement {
        case .changed: return false
        case .leaseLost: throw SecretStoreError(.leaseLost, item: item)
        case .placed(let key):
            // Under the lease, so that no update starts from a value that is about to be withdrawn.
            let isStored = try finish(key)
            _ = lease.release()
            return isStored
        }
    }

    private func acquire(in leases: Keyring, _ effort: Effort) throws(KeyringError) -> Step<HeldLease> {
        if let blockage = try backend.rings.raiseUpdateFlag(in: leases) { return .blocked(blockage) }
        return try backend.itemLeases.acquire(for: item.keyDescription, in: leases, effort)
    }

    private func place(
        _ pending: PendingWrite, _ payload: RawSpan, in items: Keyring, under lease: borrowing HeldLease
    ) throws(KeyringError) -> Placement {
        guard try isUntouched(in: items) else { return .changed }
        let state = try before == nil ? backend.nameState(of: item, in: items) : .dead
        guard state.key == nil else { return .changed }
        let key = try backend.stage(pending, payload)
        do throws(KeyringError) {
            return try lease.place(key, in: items, exclusively: state == .free) ? .placed(key) : .leaseLost
        } catch {
            // If the name is free, the kernel lets only one key in, and an `add` was faster.
            guard error.code == .alreadyExists else { throw error }
            return .changed
        }
    }

    /// Completes the write of a placed key; false, with the key withdrawn, if a `clear` happened.
    ///
    /// A `clear` takes no lease, so this looks for the sentinel once more. Others may have read the key before it
    /// was withdrawn.
    private func finish(_ key: Key) throws(SecretStoreError) -> Bool {
        placed.withLock { $0 = key }
        if try inItems(isSentinelThere) { return true }
        try withdraw(key)
        return false
    }

    /// Removes the placed key.
    ///
    /// Invalidating it affects exactly this key, not a later value of the item.
    private func withdraw(_ placed: Key) throws(SecretStoreError) {
        do throws(KeyringError) {
            try placed.invalidate()
        } catch {
            // A `clear` was faster.
            guard error.isKeyGoneOrRefused else { throw SecretStoreError(error, item: item) }
        }
    }

    /// Runs `look` on the current items' ring; false if there isn't one.
    private func inItems(_ look: (Keyring) throws(KeyringError) -> Bool) throws(SecretStoreError) -> Bool {
        guard let ring = try backend.rings.findItems() else { return false }
        return try inStoreTerms(item) { () throws(KeyringError) in try look(ring) }
    }

    private func isUntouched(in ring: Keyring) throws(KeyringError) -> Bool {
        guard try isSentinelThere(in: ring) else { return false }
        let current = try backend.current(item, in: ring)
        if current == before { return true }
        if current != nil { return false }
        return try hasBeforeExpired.load(ordering: .relaxed) ? true : hasExpired(before)
    }

    /// Returns whether the key has expired, which is not a change to the item.
    private func hasExpired(_ key: Key?) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            _ = try key?.describe()
            return false
        } catch {
            guard error.isKeyGoneOrRefused else { throw error }
            return error.code == .expired
        }
    }

    private func isSentinelThere(in ring: Keyring) throws(KeyringError) -> Bool {
        try backend.current(item.fetchSentinel, in: ring) == sentinel
    }
}
