import Keyutils

/// A value that is about to be stored, without the payload itself.
struct PendingWrite: ~Copyable {
    let item: ItemIdentity
    let timeout: KeyTimeout?
    /// The facts about the value, with its hash.
    let facts: (ItemFacts, hash: UInt64)?
    private let size: Int
    private let payloadSize: Int

    /// Checks the size of these bytes, whose payload may be one byte longer (``PayloadEncoding``).
    ///
    /// - Throws: ``SecretStoreError`` with `tooLarge`.
    init(
        of bytes: RawSpan, as payload: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts? = nil
    ) throws(SecretStoreError) {
        self.facts = facts.map { ($0, FNV1a.hash(of: bytes)) }
        (self.item, self.timeout, size, payloadSize) = (item, timeout, bytes.byteCount, payload.byteCount)
        try checkSize(upTo: Key.largestUserPayload)
    }

    /// Throws `tooLarge` if the payload has more bytes than this limit.
    func checkSize(upTo limit: Int) throws(SecretStoreError) {
        guard payloadSize > limit else { return }
        throw SecretStoreError(.tooLarge(size: size, limit: limit - (payloadSize - size)), item: item)
    }
}

/// The steps before and after an item is stored, shared by all ways of storing it.
extension KernelBackend {
    /// Makes an attempt; if the quota has no room and the attempt may use last resorts, frees quota and tries again.
    func inRoom<Result>(
        _ effort: Effort, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        do throws(SecretStoreError) {
            return try body()
        } catch {
            guard error.code == .quotaExceeded, effort.mayUseLastResorts, try makeRoom(effort) else { throw error }
            return try body()
        }
    }

    /// Makes an attempt to store a value, as ``inRoom(_:_:)``.
    ///
    /// - Throws: also ``SecretStoreError`` with `tooLarge` if the quota could never hold the value.
    func inRoom<Result>(
        for pending: borrowing PendingWrite, _ effort: Effort, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        do throws(SecretStoreError) {
            return try inRoom(effort, body)
        } catch {
            if error.code == .quotaExceeded { try checkQuotaCouldHold(pending) }
            throw error
        }
    }

    /// Stages the key of a pending write.
    ///
    /// When the key is moved, its bytes, permissions and timeout become visible at the same time, and the kernel
    /// displaces the old key atomically. A crash before the move leaves nothing.
    func stage(_ pending: borrowing PendingWrite, _ payload: RawSpan) throws(KeyringError) -> Key {
        try Staging.stage(
            pending.item.keyDescription, payload: payload, permissions: rings.permissions,
            timeout: pending.timeout)
    }

    /// Stages the facts about an item's value, which is in this key.
    func stage(
        _ facts: ItemFacts, of item: ItemIdentity, key: Key, hash: UInt64, timeout: KeyTimeout?
    ) throws(KeyringError) -> Key {
        let record = facts.record(of: item, key: key.serial.rawValue, hash: hash)
        return try unsafe Staging.stage(
            item.companion.keyDescription, payload: record.span.bytes, permissions: rings.permissions,
            timeout: timeout)
    }

    /// Stages a value and the facts about it, before others can see either of them.
    ///
    /// - Throws: ``KeyringError`` with `quotaExceeded` if there isn't room for both. As a last resort, the value is
    ///   staged without the facts.
    func stageWithFacts(
        _ pending: borrowing PendingWrite, _ payload: RawSpan, _ effort: Effort
    ) throws(KeyringError) -> StagedWrite {
        let key = try stage(pending, payload)
        guard let (facts, hash) = pending.facts else {
            return StagedWrite(key: key, companion: nil, hasFacts: true)
        }
        for isLast in [false, true] {
            do throws(KeyringError) {
                let companion = try stage(facts, of: pending.item, key: key, hash: hash, timeout: pending.timeout)
                return StagedWrite(key: key, companion: companion, hasFacts: true)
            } catch {
                guard error.code == .quotaExceeded, effort.mayUseLastResorts else {
                    Staging.discard(key)
                    throw error
                }
            }
            if !isLast, (try? makeRoom(effort)) != true { break }
        }
        return StagedWrite(key: key, companion: nil, hasFacts: false)
    }

    /// Places a staged value under its lease; false, with everything discarded, if the lease was lost.
    func place(
        _ staged: StagedWrite, in ring: Keyring, exclusively: Bool = false, under lease: borrowing HeldLease
    ) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            if try lease.place(staged.key, in: ring, exclusively: exclusively) { return true }
        } catch {
            if let companion = staged.companion { Staging.discard(companion) }
            throw error
        }
        if let companion = staged.companion { Staging.discard(companion) }
        return false
    }

    /// Places the facts about a value that was just placed, or removes those about the earlier one.
    ///
    /// - Returns: false if the facts are not in place.
    func placeFacts(
        _ staged: StagedWrite, of item: ItemIdentity, in ring: Keyring, under lease: borrowing HeldLease
    ) throws(KeyringError) -> Bool {
        if let companion = staged.companion {
            do throws(KeyringError) {
                if try lease.place(companion, in: ring) { return true }
            } catch {
                // The value is in place. If its ring is gone, the caller notices that. If the ring takes no more keys,
                // because another process is replacing it, the new ring has the value.
                guard error.code == .quotaExceeded || error.code == .notPermitted || error.isKeyGoneOrRefused else {
                    throw error
                }
            }
        }
        try drop(item.companion, in: ring) { key, ring throws(KeyringError) in try lease.drop(key, from: ring) }
        return staged.companion == nil && staged.hasFacts
    }

    /// Completes a leased write: places the facts about the new value, and ends a fetch under way.
    func complete(
        _ staged: StagedWrite, of item: ItemIdentity, in ring: Keyring, under lease: borrowing HeldLease
    ) throws(KeyringError) {
        guard !item.isHidden else { return }
        let hasFacts = try placeFacts(staged, of: item, in: ring, under: lease)
        try dropWatch(of: item, in: ring, under: lease)
        // A `clear`, which takes no lease, could have come before the facts.
        if hasFacts, let companion = staged.companion, try current(item, in: ring) != staged.key {
            try? companion.invalidate()
        }
    }

    /// Ends a fetch under way, so that its result is not stored.
    func dropWatch(
        of item: ItemIdentity, in ring: Keyring, under lease: borrowing HeldLease
    ) throws(KeyringError) {
        try drop(item.watch, in: ring) { key, ring throws(KeyringError) in try lease.drop(key, from: ring) }
    }

    /// Removes the hidden items next to an item that is deleted: its facts, and the watch of a fetch under way, so that
    /// the item stays deleted.
    func dropHidden(
        of item: ItemIdentity, _ remove: (Key, Keyring) throws(KeyringError) -> Void
    ) throws(SecretStoreError) {
        guard !item.isHidden, let ring = try rings.items() else { return }
        try inStoreTerms(item) { () throws(KeyringError) in
            try drop(item.watch, in: ring, remove)
            try drop(item.companion, in: ring, remove)
        }
    }

    private func drop(
        _ hidden: ItemIdentity, in ring: Keyring, _ remove: (Key, Keyring) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        do throws(KeyringError) {
            try remove(try ring.find(.user, hidden.keyDescription), ring)
        } catch {
            // There isn't one, or another process has removed it.
            guard error.isKeyGoneOrRefused || error.code == .notLinked else { throw error }
        }
    }
}

extension HeldLease {
    /// Removes the key with this name from the ring; nothing after a takeover of the lease.
    func drop(_ key: Key, from ring: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            _ = try remove(key, from: ring)
        } catch {
            // Moving a key takes a few bytes of quota.
            guard error.code == .quotaExceeded else { throw error }
            if isHeld { try ring.unlink(key) }
        }
    }
}

/// A staged value, and the companion with the facts about it.
struct StagedWrite {
    let key: Key
    let companion: Key?
    /// Whether all facts are in the companion; also true if there aren't any.
    let hasFacts: Bool
}
