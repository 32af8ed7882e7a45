import Keyutils

extension KernelBackend {
    package func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        try rings.requireOwnSession()
        return try .of { () throws(SecretStoreError) in
            try inRoom(effort) { () throws(SecretStoreError) in
                try withPair(for: item, effort) { pair throws(KeyringError) in
                    switch try acquireFlagged(item, in: pair.leases, lasting: duration, effort) {
                    case .done(let lease):
                        return .done(KernelItemUpdate(backend: self, item: item, ring: pair.items, lease: lease))
                    case .blocked(let reason): return .blocked(reason)
                    }
                }
            }
        }
    }
}

/// The result of placing an update's new value.
private enum Placement {
    case placed(Key)
    /// The item is not what was seen: a `clear` takes no lease, and the seen value may have expired.
    case changed
    case leaseLost
}

/// The right to change an item, in the form of the lease on it.
private final class KernelItemUpdate: ItemUpdate {
    private let backend: KernelBackend
    private let item: ItemIdentity
    private var ring: Keyring
    private let lease: HeldLease
    /// The item's key when it was last read; `nil` if the item was absent.
    private var seen: Key?
    private var seenHash: UInt64 = 0
    /// The key of the new value, if an attempt to commit has stored it and failed only afterwards.
    private var stored: Key?

    init(backend: KernelBackend, item: ItemIdentity, ring: Keyring, lease: consuming HeldLease) {
        self.backend = backend
        self.item = item
        self.ring = ring
        self.lease = lease
    }

    func read(_ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        seen = try backend.withKey(of: item) { ring, key throws(KeyringError) in
            try key.withPayload { payload in
                seenHash = PayloadEncoding.hashOfSecret(in: payload)
                body(payload.extracting(first: PayloadEncoding.secretSize(payload)))
            }
            self.ring = ring
            return key
        }
        return seen != nil
    }

    var facts: ItemFacts? {
        seen.flatMap { seen in try? backend.facts(of: item, key: seen, hash: seenHash, in: ring) }
    }

    func commit(
        _ bytes: RawSpan?, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try .of(after: stored.map(VisibleStep.placed)) { () throws(SecretStoreError) in
            guard let bytes else { return try remove() }
            return try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
                let pending = try PendingWrite(of: bytes, as: payload, for: item, timeout: timeout, facts)
                if stored == nil {
                    let placement = try backend.inRoom(for: pending, effort) { () throws(SecretStoreError) in
                        try place(pending, payload, effort)
                    }
                    switch placement {
                    case .placed(let key): stored = key
                    case .changed where lease.isHeld: return false
                    case .changed, .leaseLost: throw SecretStoreError(.leaseLost, item: item)
                    }
                }
                guard try backend.rings.isStillLinked(afterWriteTo: ring) else {
                    throw SecretStoreError(.unreadableAfterWrite, item: item)
                }
                return true
            }
        }
    }

    private func place(
        _ pending: borrowing PendingWrite, _ payload: RawSpan, _ effort: Effort
    ) throws(SecretStoreError) -> Placement {
        do throws(KeyringError) {
            let staged = try backend.stageWithFacts(pending, payload, effort)
            let placement = try place(staged)
            if case .placed = placement { try backend.complete(staged, of: item, in: ring, under: lease) }
            return placement
        } catch {
            switch error.code {
            case .alreadyExists: return .changed
            case .notPermitted:
                ring = try backend.pairInPlaceOfRestricted(ring, error, item: item, effort).items
                return .changed
            default:
                guard error.isKeyGoneOrRefused, try haveOtherRing(effort) else {
                    throw SecretStoreError(error, item: item)
                }
                return .changed
            }
        }
    }

    /// Moves a staged value into place; discards it if the item has changed.
    private func place(_ staged: StagedWrite) throws(KeyringError) -> Placement {
        let state = try Staging.discardIfFailing(staged.key) { () throws(KeyringError) in
            try backend.nameState(of: item, in: ring)
        }
        guard state.key == seen else {
            Staging.discard(staged.key)
            return .changed
        }
        // If the name is free, the kernel lets only one key in, and an `add` may be faster.
        let isPlaced = try backend.place(staged, in: ring, exclusively: state == .free, under: lease)
        return isPlaced ? .placed(staged.key) : .leaseLost
    }

    /// Looks up the items' ring again and uses it from now on; true if it is another ring.
    private func haveOtherRing(_ effort: Effort) throws(SecretStoreError) -> Bool {
        let current = try backend.rings.findOrMakePair(effort).items
        defer { ring = current }
        return current != ring
    }

    private func remove() throws(SecretStoreError) -> Bool {
        guard try backend.withKey(of: item, { _, key in key }) == seen else { return false }
        let removed = try backend.remove(item) { ring, key throws(KeyringError) in
            try lease.remove(key, from: ring)
        }
        guard removed != nil else { throw SecretStoreError(.leaseLost, item: item) }
        try backend.dropHidden(of: item) { key, ring throws(KeyringError) in try lease.drop(key, from: ring) }
        return true
    }
}
