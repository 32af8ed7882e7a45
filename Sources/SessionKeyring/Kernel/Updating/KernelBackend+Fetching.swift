import Keyutils

extension KernelBackend {
    package func beginFetch(of item: ItemIdentity) throws(SecretStoreError) -> any ItemFetch {
        try rings.requireOwnSession()
        return try KernelItemFetch(of: item, by: self)
    }

    /// Removes what stands beside an item that is deleted: the sentinel of a fetch, so that what it brings is not stored over
    /// what happened meanwhile, and those of its value.
    func dropSentinels(of item: ItemIdentity) throws(SecretStoreError) {
        guard !item.isSentinel, let ring = try rings.items() else { return }
        do throws(KeyringError) {
            try dropFetchSentinel(of: item, in: ring)
            for sentinel in item.sentinels { try drop(sentinel, in: ring) }
        } catch {
            throw SecretStoreError(error, item: item)
        }
    }

    func dropFetchSentinel(of item: ItemIdentity, in ring: Keyring) throws(KeyringError) {
        try drop(item.fetchSentinel, in: ring)
    }

    private func drop(_ sentinel: ItemIdentity, in ring: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            try ring.unlink(try ring.search(.user, sentinel.keyDescription))
        } catch {
            // There is none, or somebody else has removed it.
            guard error.isKeyGoneOrRefused || error.code == .notLinked else { throw error }
        }
    }
}

/// A fetch of an item, which is stored only if nothing happened to the item since the fetch began.
///
/// A sentinel beside the item says so: every `clear` takes it along, and so do those who set or delete the item, which in a
/// namespace with fetches take turns with the fetch that stores.
private final class KernelItemFetch: ItemFetch {
    private let backend: KernelBackend
    private let item: ItemIdentity
    private let before: Key?
    /// `nil` where the quota has no room for it; then nothing can be stored.
    private let sentinel: Key?

    /// Longer than any fetch lasts, so that a fetch whose process dies leaves nothing that lasts.
    private static let lifetime = RingLease.longest

    init(of item: ItemIdentity, by backend: KernelBackend) throws(SecretStoreError) {
        (self.backend, self.item) = (backend, item)
        sentinel = try Self.placeSentinel(of: item, in: backend)
        before = try backend.withKey(of: item) { _, key in key }
    }

    deinit {
        // Exactly that one; one that is gone was taken along by what happened to the item.
        try? sentinel?.invalidate()
    }

    private static func placeSentinel(of item: ItemIdentity, in backend: KernelBackend) throws(SecretStoreError) -> Key?
    {
        let lifetime: KeyTimeout
        do throws(KeyringError) {
            lifetime = try KeyTimeout(Self.lifetime)
        } catch {
            throw SecretStoreError(error, item: item)
        }
        let pending = PendingWrite(item: item.fetchSentinel, type: .user, timeout: lifetime)
        var placed: Key?
        do throws(SecretStoreError) {
            try backend.withPair(for: item) { pair throws(KeyringError) in
                try backend.rings.raiseUpdateFlag(in: pair.leases, mayWait: false)
                let one: InlineArray<1, UInt8> = [0]
                try unsafe backend.publish(pending, payload: one.span.bytes) { key throws(KeyringError) in
                    try Keyring.thread.move(key, to: pair.items)
                    placed = key
                }
            }
        } catch {
            guard error.code == .quotaExceeded, backend.mayUseLastResorts else { throw error }
            return nil
        }
        return placed
    }

    func store(_ bytes: RawSpan, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        guard sentinel != nil else { throw noRoom }
        guard try inItems(isUntouched) else { return false }
        return try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
            let type = try backend.keyType(
                forSize: payload.byteCount, escaped: payload.byteCount - bytes.byteCount, item: item)
            return try publish(PendingWrite(item: item, type: type, timeout: timeout), payload: payload)
        }
    }

    private func publish(_ pending: PendingWrite, payload: RawSpan) throws(SecretStoreError) -> Bool {
        guard let leases = try raiseUpdateFlag() else { return false }
        guard let lease = try backend.affordableLease(for: item, in: leases) else { throw noRoom }
        var published: Key?
        var isLost = false
        try backend.withPair(for: item) { pair throws(KeyringError) in
            try backend.publish(pending, payload: payload) { key throws(KeyringError) in
                (published, isLost) = (nil, false)
                guard try isUntouched(in: pair.items) else { return Staging.discard(key) }
                var isFree = false
                if before == nil {
                    let state = try backend.nameState(of: item, in: pair.items)
                    guard state.key == nil else { return Staging.discard(key) }
                    isFree = state == .free
                }
                do throws(KeyringError) {
                    isLost = try !lease.publish(key, to: pair.items, exclusive: isFree)
                    published = isLost ? nil : key
                } catch {
                    // Over nothing the kernel lets only one in, and an `add` was first.
                    guard error.code == .alreadyExists else { throw error }
                }
            }
        }
        if isLost { throw SecretStoreError(.leaseLost, item: item) }
        guard let published else { return false }
        // A `clear` asks for no lease. What came behind the last look is withdrawn; others may have read it.
        guard try inItems(isSentinelThere) else {
            try withdraw(published, under: lease)
            return false
        }
        try backend.unlinkKeyOfOtherType(than: pending)
        _ = lease.release()
        return true
    }

    /// Under the lease, because others may write over it in place once they have it.
    private func withdraw(_ published: Key, under lease: borrowing RingLease) throws(SecretStoreError) {
        guard let ring = try backend.rings.findItems() else { return }
        do throws(KeyringError) {
            _ = try lease.remove(published, from: ring)
        } catch {
            // A `clear` was first.
            guard error.isKeyGoneOrRefused || error.code == .notLinked else {
                throw SecretStoreError(error, item: item)
            }
        }
    }

    /// Looks into the items' ring as it is now; false where there is none.
    private func inItems(_ look: (Keyring) throws(KeyringError) -> Bool) throws(SecretStoreError) -> Bool {
        guard let ring = try backend.rings.findItems() else { return false }
        do throws(KeyringError) {
            return try look(ring)
        } catch {
            throw SecretStoreError(error, item: item)
        }
    }

    /// The leases' ring with the flag in it, seen by all; `nil` where the ring is gone, and what watched the item with it.
    private func raiseUpdateFlag() throws(SecretStoreError) -> Keyring? {
        guard let leases = try backend.rings.leasesIfFlagged() else { return nil }
        let isSeenByAll: Bool
        do throws(KeyringError) {
            isSeenByAll = try backend.rings.raiseUpdateFlag(in: leases, mayWait: backend.mayWait)
        } catch {
            throw SecretStoreError(error, item: item)
        }
        guard isSeenByAll else { throw SecretStoreError(.contended, item: item) }
        return leases
    }

    private func isUntouched(in ring: Keyring) throws(KeyringError) -> Bool {
        guard try isSentinelThere(in: ring) else { return false }
        let current = try backend.current(item, in: ring)
        if current == before { return true }
        return try current == nil ? hasExpired(before) : false
    }

    /// The end of its time is nothing that happened to it.
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
        guard let sentinel else { return false }
        return try backend.current(item.fetchSentinel, in: ring) == sentinel
    }

    private var noRoom: SecretStoreError { SecretStoreError(KeyringError(.quotaExceeded, in: .add), item: item) }
}
