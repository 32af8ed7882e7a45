import Keyutils
import Synchronization

extension KernelBackend {
    package func beginFetch(
        of item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> (any ItemFetch)? {
        try rings.requireOwnSession()
        do throws(SecretStoreError) {
            let sentinel = try inRoom(&attempt) { attempt throws(SecretStoreError) in
                try placeFetchSentinel(of: item, &attempt)
            }
            return KernelItemFetch(
                of: item, by: self, sentinel: sentinel, before: try withKey(of: item) { _, key in key })
        } catch {
            guard error.code == .quotaExceeded, attempt.mayUseLastResorts else { throw error }
            return nil
        }
    }

    private func placeFetchSentinel(
        of item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Key {
        let lifetime = try SecretStore.keyTimeout(KernelItemFetch.lifetime, item: item)
        let one: InlineArray<1, UInt8> = [0]
        let payload = unsafe one.span.bytes
        let pending = try PendingWrite(of: payload, as: payload, for: item.fetchSentinel, timeout: lifetime)
        var placed: Key?
        try withPair(for: item, &attempt) { pair, attempt throws(KeyringError) in
            // Don't wait until all writers have seen the flag. That usually happens during the fetch, and `place` makes
            // sure of it before it stores the result.
            _ = try rings.raiseUpdateFlag(in: pair.leases, &attempt)
            let key = try stage(pending, payload)
            try Staging.discardIfFailing(key) { () throws(KeyringError) in
                try Keyring.thread.move(key, to: pair.items)
            }
            placed = key
            return true
        }
        guard let placed else { throw attempt.blocked(item) }
        return placed
    }
}

/// A fetch of an item, whose result is stored only if nothing happened to the item since the fetch began.
///
/// A sentinel next to the item shows that. Every `clear` removes the sentinel. So does every process that sets or
/// deletes the item: in a namespace with fetches, these processes use leases, as the fetch does when it stores
/// its result.
final class KernelItemFetch: ItemFetch {
    /// How long the sentinel lives after each renewal; if the process dies, it expires after this time.
    static let lifetime = HeldLease.longest

    private let backend: KernelBackend
    private let item: ItemIdentity
    private let before: Key?
    private let hasBeforeExpired = Atomic(false)
    private let sentinel: Key

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
        if let lifetime = try? KeyTimeout(Self.lifetime) { try? sentinel.setTimeout(lifetime) }
        if (try? hasExpired(before)) == true { hasBeforeExpired.store(true, ordering: .relaxed) }
    }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
            let pending = try PendingWrite(of: bytes, as: payload, for: item, timeout: timeout)
            // A key that an earlier attempt has placed is not a change by others.
            if let placed = attempt.progress?.placedKey { return try finish(placed, &attempt) }
            guard try inItems(isUntouched) else { return false }
            return try backend.inRoom(for: pending, &attempt) { attempt throws(SecretStoreError) in
                try place(pending, payload, &attempt)
            }
        }
    }

    /// Places the item; false if something happened to it.
    private func place(
        _ pending: PendingWrite, _ payload: RawSpan, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        // Without the flag, other writers would not have removed the fetch's sentinel, so it would prove nothing.
        guard let leases = try backend.rings.flaggedLeasesRing() else { return false }
        let acquired = try inStoreTerms(item) { () throws(KeyringError) -> HeldLease? in
            guard try backend.rings.raiseUpdateFlag(in: leases, &attempt) else { return nil }
            return try backend.itemLeases.acquire(for: item.keyDescription, in: leases, &attempt)
        }
        guard let lease = acquired else { throw attempt.blocked(item) }
        var (placed, isLost): (Key?, Bool) = (nil, false)
        try backend.withPair(for: item, &attempt) { pair, _ throws(KeyringError) in
            (placed, isLost) = (nil, false)
            guard try isUntouched(in: pair.items) else { return true }
            let state = try before == nil ? backend.nameState(of: item, in: pair.items) : .dead
            guard state.key == nil else { return true }
            let key = try backend.stage(pending, payload)
            do throws(KeyringError) {
                isLost = try !lease.place(key, in: pair.items, exclusively: state == .free)
                placed = isLost ? nil : key
            } catch {
                // If the name is free, the kernel lets only one key in, and an `add` was faster.
                guard error.code == .alreadyExists else { throw error }
            }
            return true
        }
        if isLost { throw SecretStoreError(.leaseLost, item: item) }
        guard let placed else { return false }
        // Under the lease, so that no update starts from a value that is about to be withdrawn.
        let isStored = try finish(placed, &attempt)
        _ = lease.release()
        return isStored
    }

    /// Completes the write of a placed key; false, with the key withdrawn, if a `clear` happened.
    ///
    /// A `clear` takes no lease, so this looks for the sentinel once more. Others may have read the key before it
    /// was withdrawn.
    private func finish(_ placed: Key, _ attempt: inout BackendAttempt) throws(SecretStoreError) -> Bool {
        do throws(SecretStoreError) {
            if try inItems(isSentinelThere) { return true }
            try withdraw(placed)
            return false
        } catch {
            let progress = attempt.makeProgress()
            (progress.placedKey, progress.isVisible) = (placed, true)
            throw error
        }
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
