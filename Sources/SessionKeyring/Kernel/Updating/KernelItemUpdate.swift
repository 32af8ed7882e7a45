import Keyutils

extension KernelBackend {
    package func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any ItemUpdate {
        try rings.requireOwnSession()
        return try inRoom(&attempt) { attempt throws(SecretStoreError) in
            try startUpdate(of: item, lasting: duration, &attempt)
        }
    }

    private func startUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any ItemUpdate {
        var update: KernelItemUpdate?
        try withPair(for: item, &attempt) { pair, attempt throws(KeyringError) in
            guard try rings.raiseUpdateFlag(in: pair.leases, &attempt) else { return false }
            let lease = try itemLeases.acquire(
                for: item.keyDescription, in: pair.leases, lasting: duration, &attempt)
            guard let lease else { return false }
            update = KernelItemUpdate(backend: self, item: item, ring: pair.items, lease: lease)
            return true
        }
        guard let update else { throw attempt.blocked(item) }
        return update
    }
}

/// The right to change an item, in the form of the lease on it.
private final class KernelItemUpdate: ItemUpdate {
    private let backend: KernelBackend
    private let item: ItemIdentity
    private var ring: Keyring
    private let lease: HeldLease
    /// The item's key when it was last read; `nil` if the item was absent.
    private var seen: Key?
    /// Whether an earlier attempt to commit has stored the new value, and failed only afterwards.
    private var isStored = false

    init(backend: KernelBackend, item: ItemIdentity, ring: Keyring, lease: consuming HeldLease) {
        self.backend = backend
        self.item = item
        self.ring = ring
        self.lease = lease
    }

    func read(_ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        seen = try backend.withKey(of: item) { ring, key throws(KeyringError) in
            try key.withPayload { payload in body(payload.extracting(first: PayloadEncoding.secretSize(payload))) }
            self.ring = ring
            return key
        }
        return seen != nil
    }

    func commit(
        _ bytes: RawSpan?, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        guard let bytes else { return try remove() }
        return try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
            let pending = try PendingWrite(of: bytes, as: payload, for: item, timeout: timeout)
            if !isStored {
                let outcome = try backend.inRoom(for: pending, &attempt) { attempt throws(SecretStoreError) in
                    try store(pending, payload, &attempt)
                }
                switch outcome {
                case .changed where lease.isHeld: return false
                case .changed, .leaseLost: throw SecretStoreError(.leaseLost, item: item)
                case .stored: isStored = true
                }
            }
            do throws(SecretStoreError) {
                guard try isRingInUse() else { throw SecretStoreError(.unreadableAfterWrite, item: item) }
            } catch {
                attempt.makeProgress().isVisible = true
                throw error
            }
            return true
        }
    }

    private enum Outcome {
        case stored
        /// The item is not what was read last: a `clear` takes no lease, and the value that was read may have expired.
        case changed
        case leaseLost
    }

    private func store(
        _ pending: PendingWrite, _ payload: RawSpan, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Outcome {
        do throws(KeyringError) {
            let outcome = try place(try backend.stage(pending, payload))
            if outcome == .stored { try backend.dropFetchSentinel(of: item, in: ring) }
            return outcome
        } catch {
            switch error.code {
            case .alreadyExists: return .changed
            case .notPermitted:
                ring = try backend.pairInPlaceOfRestricted(ring, error, item: item, &attempt).items
                return .changed
            default:
                guard error.isKeyGoneOrRefused, try haveOtherRing(&attempt) else {
                    throw SecretStoreError(error, item: item)
                }
                return .changed
            }
        }
    }

    /// Moves a staged key into place; discards it if the item has changed.
    private func place(_ key: Key) throws(KeyringError) -> Outcome {
        let state = try Staging.discardIfFailing(key) { () throws(KeyringError) in
            try backend.nameState(of: item, in: ring)
        }
        guard state.key == seen else {
            Staging.discard(key)
            return .changed
        }
        // If the name is free, the kernel lets only one key in, and an `add` may be faster.
        return try lease.place(key, in: ring, exclusively: state == .free) ? .stored : .leaseLost
    }

    /// Looks up the items' ring again and uses it from now on; true if it is another ring.
    private func haveOtherRing(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> Bool {
        let current = try backend.rings.findOrMakePair(&attempt).items
        defer { ring = current }
        return current != ring
    }

    /// Returns whether others can find what was written to the ring.
    ///
    /// If only possessors can write to the ring, the write itself shows that the ring is still linked.
    private func isRingInUse() throws(SecretStoreError) -> Bool {
        if backend.rings.scope.access == .possessor { return true }
        return try backend.rings.isLinked(ring)
    }

    private func remove() throws(SecretStoreError) -> Bool {
        guard try backend.withKey(of: item, { _, key in key }) == seen else { return false }
        let removed = try backend.remove(item) { ring, key throws(KeyringError) in
            try lease.remove(key, from: ring)
        }
        guard removed != nil else { throw SecretStoreError(.leaseLost, item: item) }
        try backend.dropSentinels(of: item)
        return true
    }
}
