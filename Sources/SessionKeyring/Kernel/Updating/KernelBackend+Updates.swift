import Keyutils

extension KernelBackend {
    package func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, waiting limit: Duration
    ) throws(SecretStoreError) -> (any ItemUpdate)? {
        try rings.requireOwnSession()
        do throws(SecretStoreError) {
            return try startUpdate(of: item, lasting: duration, waiting: limit, orForQuota: .short)
        } catch {
            guard error.code == .quotaExceeded, mayUseLastResorts else { throw error }
            _ = try makeRoom()
            return try startUpdate(of: item, lasting: duration, waiting: limit, orForQuota: .long)
        }
    }

    private func startUpdate(
        of item: ItemIdentity, lasting duration: Duration, waiting limit: Duration,
        orForQuota quotaBackoff: QuotaBackoff
    ) throws(SecretStoreError) -> KernelItemUpdate? {
        var update: KernelItemUpdate?
        try withPair(for: item) { pair throws(KeyringError) in
            update = nil
            try waiting(quotaBackoff).wait { () throws(KeyringError) in
                guard try rings.raiseUpdateFlag(in: pair.leases, mayWait: mayWait) else { return }
                let lease = try leases.acquire(
                    for: item.keyDescription, in: pair.leases, lasting: duration, waiting: limit)
                guard lease != nil else { return }
                update = KernelItemUpdate(
                    backend: self, item: item, ring: pair.items, lease: lease, slack: duration / 4)
            }
        }
        return update
    }
}

/// The right to change an item, as the lease on it.
private final class KernelItemUpdate: ItemUpdate {
    private let backend: KernelBackend
    private let item: ItemIdentity
    private var ring: Keyring
    /// Gone once the item was written in place, for that ends with giving it back.
    private var lease: RingLease?
    /// How much of the lease must be left to write in place.
    private let slack: Duration
    private var seen: Key?

    init(backend: KernelBackend, item: ItemIdentity, ring: Keyring, lease: consuming RingLease?, slack: Duration) {
        self.backend = backend
        self.item = item
        self.ring = ring
        self.lease = lease
        self.slack = slack
    }

    func read(_ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        seen = try backend.withKey(of: item) { ring, key throws(KeyringError) in
            try key.withPayload { payload in body(payload.extracting(first: PayloadEncoding.secretSize(payload))) }
            self.ring = ring
            return key
        }
        return seen != nil
    }

    func commit(_ bytes: RawSpan?, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        guard let bytes else { return try remove() }
        return try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
            let type = try backend.keyType(
                forSize: payload.byteCount, escaped: payload.byteCount - bytes.byteCount, item: item)
            return try publish(PendingWrite(item: item, type: type, timeout: timeout), payload: payload)
        }
    }

    private enum Outcome {
        case published
        /// Something else is there than what was read last: a `clear` asks for no lease, and what was read may have expired.
        case changed
        case leaseLost
    }

    /// False where something else is there than what was read last.
    private func publish(_ pending: PendingWrite, payload: RawSpan) throws(SecretStoreError) -> Bool {
        var outcome = Outcome.leaseLost
        do throws(KeyringError) {
            // One that is there can be written over in place; for a new one there is nothing but to wait.
            try backend.publish(pending, payload: payload, waiting: seen == nil ? .long : .short) {
                key throws(KeyringError) in
                outcome = try publish(key)
            }
            if outcome == .published { try backend.dropFetchSentinel(of: item, in: ring) }
        } catch {
            switch error.code {
            case .alreadyExists: outcome = .changed
            case .quotaExceeded where backend.mayUseLastResorts:
                outcome = try overwrite(with: pending, payload: payload, orThrow: error)
            case .notPermitted:
                ring = try backend.pairInPlaceOfRestricted(ring, error, item: item).items
                outcome = .changed
            default:
                guard error.isKeyGoneOrRefused, try haveOtherRing() else { throw SecretStoreError(error, item: item) }
                outcome = .changed
            }
        }
        switch outcome {
        case .changed where (lease?.timeLeft ?? .zero) > .zero: return false
        case .changed, .leaseLost: throw SecretStoreError(.leaseLost, item: item)
        case .published: break
        }
        guard try isRingInUse() else {
            throw SecretStoreError(.unreadableAfterWrite, item: item)
        }
        try backend.unlinkKeyOfOtherType(than: pending)
        return true
    }

    private func publish(_ key: Key) throws(KeyringError) -> Outcome {
        var isFree = false
        let isUnchanged: Bool
        if let seen {
            isUnchanged = try backend.current(item, in: ring) == seen
        } else {
            let state = try backend.nameState(of: item, in: ring)
            isUnchanged = state.key == nil
            // Over nothing the kernel lets only one in, and an `add` may have been first.
            isFree = state == .free
        }
        guard isUnchanged, lease != nil else {
            Staging.discard(key)
            return isUnchanged ? .leaseLost : .changed
        }
        return try lease?.publish(key, to: ring, exclusive: isFree) == true ? .published : .leaseLost
    }

    /// Whether the items are in another ring by now, which is used from now on.
    private func haveOtherRing() throws(SecretStoreError) -> Bool {
        let current = try backend.rings.findOrMakePair(mayWait: backend.mayWait).items
        defer { ring = current }
        return current != ring
    }

    /// Writing to a ring that only its possessor may write to shows that it is still linked.
    private func isRingInUse() throws(SecretStoreError) -> Bool {
        if backend.rings.scope.access == .possessor { return true }
        return try backend.rings.isLinked(ring)
    }

    /// The last resort where the quota has no room for a new key beside the old one.
    private func overwrite(
        with pending: PendingWrite, payload: RawSpan, orThrow quota: KeyringError
    ) throws(SecretStoreError) -> Outcome {
        do throws(KeyringError) {
            guard let seen else { throw quota }
            guard try backend.current(item, in: ring) == seen else { return .changed }
            guard var lease = lease.take() else { return .leaseLost }
            if try backend.overwrite(
                seen, in: ring, with: pending, payload: payload, under: &lease, slack: slack)
            {
                return lease.release() ? .published : .leaseLost
            }
            let isOurs = lease.timeLeft > slack
            self.lease = consume lease
            return isOurs ? .changed : .leaseLost
        } catch {
            throw SecretStoreError(error, item: item)
        }
    }

    private func remove() throws(SecretStoreError) -> Bool {
        guard try backend.withKey(of: item, { _, key in key }) == seen else { return false }
        let removed = try backend.remove(item) { ring, key throws(KeyringError) in
            try lease?.remove(key, from: ring) ?? false
        }
        guard removed != nil else { throw SecretStoreError(.leaseLost, item: item) }
        try backend.dropSentinels(of: item)
        return true
    }
}
