import Keyutils
import Synchronization

extension KernelBackend {
    package func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        try rings.requireOwnSession()
        let outcome = try Outcome<(any ItemFetch)?>.of { () throws(SecretStoreError) in
            guard let size else { return try beginFetch(of: item, in: nil, effort) }
            // The watch comes last, because it ends another fetch that is late.
            let room = try inRoom(effort) { () throws(SecretStoreError) in
                try inStoreTerms(item) { () throws(KeyringError) in
                    try FetchRoom(for: item, size: roomNeeded(for: item) ?? size, of: self)
                }
            }
            do throws(SecretStoreError) {
                // Reaping would stage keys of the same names on this thread.
                return try beginFetch(of: item, in: room, Effort(mayUseLastResorts: false, isFirst: effort.isFirst))
            } catch {
                room.discard()
                throw error
            }
        }
        if case .blocked(let error, _) = outcome, error.code == .quotaExceeded, effort.mayUseLastResorts, size == nil {
            return .done(nil)
        }
        return outcome
    }

    /// The room for a new value in place of the old one, in bytes; `nil` if there isn't an old one that can be read.
    private func roomNeeded(for item: ItemIdentity) -> Int? {
        let old = try? withKey(of: item) { _, key throws(KeyringError) in try key.payloadSize() }
        return (old ?? nil).map { $0 + FetchRoom.growth }
    }

    private func beginFetch(
        of item: ItemIdentity, in room: FetchRoom?, _ effort: Effort
    ) throws(SecretStoreError) -> KernelItemFetch {
        let watch = try inRoom(effort) { () throws(SecretStoreError) in
            try placeWatch(of: item, effort)
        }
        do throws(SecretStoreError) {
            let before = try withKey(of: item) { ring, key throws(KeyringError) in
                (key: key, isRefused: try isRefused(item, key, in: ring))
            }
            return KernelItemFetch(
                of: item, by: self, watch: watch, before: before?.key, wasRefused: before?.isRefused ?? false,
                in: room)
        } catch {
            try? watch.invalidate()
            throw error
        }
    }

    private func placeWatch(of item: ItemIdentity, _ effort: Effort) throws(SecretStoreError) -> Key {
        let one: InlineArray<1, UInt8> = [0]
        let payload = unsafe one.span.bytes
        let pending = try PendingWrite(
            of: payload, as: payload, for: item.watch, timeout: KernelItemFetch.lifetime)
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
/// A watch, which is a hidden key next to the item, shows that. Every `clear` removes the watch. So does every process
/// that sets or deletes the item: in a namespace with fetches, these processes use leases, as the fetch does when it
/// stores its result.
final class KernelItemFetch: ItemFetch {
    /// How long the watch lives after each renewal; if the process dies, it expires after this time.
    static let lifetime = try? KeyTimeout(HeldLease.longest)

    private let backend: KernelBackend
    private let item: ItemIdentity
    private let before: Key?
    private let hasBeforeExpired = Atomic(false)
    private let watch: Key
    /// Whether the old value was already refused when the fetch began.
    private let wasRefused: Bool
    /// The keys that are reserved for the result; `nil` if none are, or none any more.
    private let room: LockBox<FetchRoom?>

    init(
        of item: ItemIdentity, by backend: KernelBackend, watch: Key, before: Key?, wasRefused: Bool,
        in room: FetchRoom?
    ) {
        (self.backend, self.item, self.watch, self.before) = (backend, item, watch, before)
        self.wasRefused = wasRefused
        self.room = LockBox(room)
    }

    deinit {
        // This affects exactly our watch. If it is already gone, the change to the item has removed it.
        try? watch.invalidate()
    }

    /// Renews the watch, for a fetch that takes long.
    ///
    /// This also notes whether the old value has expired, because the kernel forgets an expired key five minutes later.
    func renew() {
        if let lifetime = Self.lifetime { try? watch.setTimeout(lifetime) }
        if (try? hasExpired(before)) == true { hasBeforeExpired.store(true, ordering: .relaxed) }
    }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage> {
        try .of { () throws(SecretStoreError) in
            try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
                let pending = try PendingWrite(of: bytes, as: payload, for: item, timeout: timeout, facts)
                guard try isUntouched() else { return .nothing }
                if let room = room.withLock({ $0 }) {
                    do throws(SecretStoreError) {
                        // Reaping would stage keys of the same names on this thread.
                        let effort = Effort(mayUseLastResorts: false, isFirst: effort.isFirst)
                        return try place(pending, payload, in: room, effort)
                    } catch {
                        guard error.code == .quotaExceeded, effort.mayUseLastResorts else { throw error }
                        self.room.withLock { $0 = nil }
                        room.discard()
                    }
                }
                return try backend.inRoom(for: pending, effort) { () throws(SecretStoreError) in
                    try place(pending, payload, in: nil, effort)
                }
            }
        }
    }

    /// Places the item and the facts about it, unless something happened to it.
    private func place(
        _ pending: borrowing PendingWrite, _ payload: RawSpan, in room: FetchRoom?, _ effort: Effort
    ) throws(SecretStoreError) -> FetchStorage {
        // Without the flag, other writers would not have removed the fetch's watch, so it would prove nothing.
        guard let leases = try backend.rings.flaggedLeasesRing() else { return .nothing }
        let step = try inStoreTerms(item) { () throws(KeyringError) in
            try backend.acquireFlagged(item, in: leases, effort, staged: room?.lease)
        }
        switch consume step {
        case .blocked(let reason): throw SecretStoreError(.blocked(reason), item: item)
        case .done(let lease):
            self.room.withLock { $0 = nil }
            let storage: FetchStorage?
            do throws(SecretStoreError) {
                // With room, this changes the reserved keys.
                storage = try backend.withPair(for: item, effort) { pair throws(KeyringError) in
                    .done(try place(pending, payload, in: pair.items, under: lease, effort))
                }
            } catch {
                room?.discard()
                throw error
            }
            _ = lease.release()
            guard let storage else { throw SecretStoreError(.leaseLost, item: item) }
            return storage
        }
    }

    /// Places the item, then the facts about it; `nil` if the lease was lost.
    ///
    /// All of this happens under the lease, so that no update starts from a value that is about to be withdrawn.
    private func place(
        _ pending: borrowing PendingWrite, _ payload: RawSpan, in items: Keyring, under lease: borrowing HeldLease,
        _ effort: Effort
    ) throws(KeyringError) -> FetchStorage? {
        guard try isUntouched(in: items), try !isRefusedMeanwhile(payload, items) else { return .nothing }
        let state = try before == nil ? backend.nameState(of: item, in: items) : .dead
        guard state.key == nil else { return .nothing }
        let staged = try backend.stageWithFacts(pending, payload, effort)
        do throws(KeyringError) {
            guard try backend.place(staged, in: items, exclusively: state == .free, under: lease) else { return nil }
        } catch {
            // If the name is free, the kernel lets only one key in, and an `add` was faster.
            guard error.code == .alreadyExists else { throw error }
            return .nothing
        }
        let hasFacts = try backend.placeFacts(staged, of: item, in: items, under: lease)
        // A `clear` takes no lease, so this looks for a watch once more. Others may have read the value before it was
        // withdrawn. If a later fetch has placed its watch, or has ended since, this value stays: that fetch has seen
        // it, and its own result is not stored.
        guard try backend.nameState(of: item.watch, in: items) != .free else {
            // This affects exactly our key, not a later value. If a `clear` was faster, the key is gone.
            try unlessGoneOrRefused { () throws(KeyringError) in try staged.key.invalidate() }
            try? staged.companion?.invalidate()
            return .nothing
        }
        // Exactly this one, not that of a later fetch.
        try? watch.invalidate()
        return hasFacts ? .all : .valueAlone
    }

    /// Whether the old value was refused during the fetch, and the new value has the same bytes.
    private func isRefusedMeanwhile(_ payload: RawSpan, _ items: Keyring) throws(KeyringError) -> Bool {
        guard let before, !wasRefused else { return false }
        let hash = PayloadEncoding.hashOfSecret(in: payload)
        return try backend.facts(of: item, key: before, hash: hash, in: items)?.isRefused == true
    }

    func isUntouched(_ key: Int32?) throws(SecretStoreError) -> Bool {
        guard key == nil || key == before?.serial.rawValue else { return false }
        return try isUntouched()
    }

    private func isUntouched() throws(SecretStoreError) -> Bool {
        guard let ring = try backend.rings.findItems() else { return false }
        return try inStoreTerms(item) { () throws(KeyringError) in try isUntouched(in: ring) }
    }

    private func isUntouched(in ring: Keyring) throws(KeyringError) -> Bool {
        guard try isWatchThere(in: ring) else { return false }
        let current = try backend.current(item, in: ring)
        if current == before { return true }
        if current != nil { return false }
        if !hasBeforeExpired.load(ordering: .relaxed), try hasExpired(before) {
            hasBeforeExpired.store(true, ordering: .relaxed)
        }
        return hasBeforeExpired.load(ordering: .relaxed)
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

    private func isWatchThere(in ring: Keyring) throws(KeyringError) -> Bool {
        try backend.current(item.watch, in: ring) == watch
    }
}
