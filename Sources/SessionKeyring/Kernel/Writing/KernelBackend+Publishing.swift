package import Keyutils

extension KernelBackend {
    package func publish(
        _ bytes: RawSpan,
        for item: ItemIdentity,
        timeout: KeyTimeout?,
        ifAbsent: Bool
    ) throws(SecretStoreError) {
        try rings.requireOwnSession()
        try PayloadEncoding.with(bytes) { payload throws(SecretStoreError) in
            let type = try keyType(forSize: payload.byteCount, escaped: payload.byteCount - bytes.byteCount, item: item)
            let pending = PendingWrite(item: item, type: type, timeout: timeout)
            try outlastingFullQuota { () throws(SecretStoreError) in
                if ifAbsent {
                    try create(pending, payload: payload)
                } else {
                    try replace(pending, payload: payload)
                }
            }
        }
    }

    /// Runs `write`, which itself waits for a short time, until it no longer finds the quota full, or that lasts.
    private func outlastingFullQuota(_ write: () throws(SecretStoreError) -> Void) throws(SecretStoreError) {
        var wait = mayWait ? QuotaWait(backoff: .short) : nil
        while true {
            do throws(SecretStoreError) {
                return try write()
            } catch {
                guard error.code == .quotaExceeded, wait?.wait() == true else { throw error }
            }
        }
    }

    func keyType(forSize size: Int, escaped: Int, item: ItemIdentity) throws(SecretStoreError) -> KeyType {
        if size <= Key.largestUserPayload { return .user }
        if ItemTypes.haveBigKeys, size <= Key.largestBigPayload { return .bigKey }
        let limit = (ItemTypes.haveBigKeys ? Key.largestBigPayload : Key.largestUserPayload) - escaped
        throw SecretStoreError(.tooLarge(size: size - escaped, limit: limit), item: item)
    }

    private func replace(_ pending: PendingWrite, payload: RawSpan) throws(SecretStoreError) {
        do throws(SecretStoreError) {
            try place(pending, payload: payload)
        } catch {
            guard error.code == .quotaExceeded, mayUseLastResorts else { throw error }
            try replaceNearQuota(pending, payload: payload)
        }
        try removeKeyOfOtherType(than: pending)
    }

    /// Puts the item where it belongs, over whatever is there.
    func place(_ pending: PendingWrite, payload: RawSpan) throws(SecretStoreError) {
        var isPlaced = false
        try withPair(for: pending.item) { pair throws(KeyringError) in
            let placed = try placeUnlocked(pending, payload: payload, in: pair)
            if case .inTime = placed {
                isPlaced = true
                return
            }
            isPlaced = try placeUnderLease(pending, payload: payload, in: pair, unlessThereIs: placed.lateKey)
        }
        if !isPlaced { throw SecretStoreError(.contended, item: pending.item) }
    }

    private enum Unlocked {
        case inTime
        case late(Key)
        case refused

        var lateKey: Key? {
            if case .late(let key) = self { key } else { nil }
        }
    }

    /// Puts the item in its place without a lease, unless writers take turns; nothing here looks at what is there.
    private func placeUnlocked(
        _ pending: PendingWrite, payload: RawSpan, in pair: NamespaceRings.Pair, exclusively: Bool = false
    ) throws(KeyringError) -> Unlocked {
        var write = UnlockedWrite()
        guard try !rings.haveUpdateFlag(in: pair.leases) else { return .refused }
        var outcome = Unlocked.refused
        try publish(pending, payload: payload) { key throws(KeyringError) in
            while !write.mayBegin {
                write = UnlockedWrite()
                guard try !rings.haveUpdateFlag(in: pair.leases) else { return Staging.discard(key) }
            }
            try Keyring.thread.move(key, to: pair.items, exclusive: exclusively)
            outcome = .inTime
            if !write.isInTime, try rings.haveUpdateFlag(in: pair.leases) { outcome = .late(key) }
        }
        return outcome
    }

    /// Puts the item in its place where writers take turns, unless what came there late still is; false if others held the
    /// lease all the time.
    private func placeUnderLease(
        _ pending: PendingWrite, payload: RawSpan, in pair: NamespaceRings.Pair, unlessThereIs late: Key?
    ) throws(KeyringError) -> Bool {
        // Each round lost means that this process was stopped for the lease's whole time.
        for _ in 0..<RetryBudget.lostLeases {
            let lease = try leases.acquireWaitingForQuota(for: pending.item.keyDescription, in: pair.leases)
            guard let lease else { return false }
            if let late, try current(pending.item, in: pair.items) == late { return true }
            var isPublished = false
            try publish(pending, payload: payload) { key throws(KeyringError) in
                isPublished = try lease.publish(key, to: pair.items)
            }
            if isPublished {
                try dropFetchSentinel(of: pending.item, in: pair.items)
                _ = lease.release()
                return true
            }
        }
        return false
    }

    /// The item's live key.
    func current(_ item: ItemIdentity, in ring: Keyring) throws(KeyringError) -> Key? {
        try nameState(of: item, in: ring).key
    }

    /// Creates the item if no live one is there.
    private func create(_ pending: PendingWrite, payload: RawSpan) throws(SecretStoreError) {
        let item = pending.item
        // Each round lost means that another process was quicker.
        for _ in 0..<RetryBudget.lostLeases {
            let outcome: CreationOutcome
            do throws(SecretStoreError) {
                outcome = try createOnce(pending, payload: payload)
            } catch {
                guard error.code == .quotaExceeded, mayUseLastResorts, try makeRoom() else { throw error }
                continue
            }
            switch outcome {
            case .created: return
            case .occupied: throw SecretStoreError(.duplicate, item: item)
            case .lost: continue
            case .contended: throw SecretStoreError(.contended, item: item)
            }
        }
        throw SecretStoreError(.contended, item: item)
    }

    private enum CreationOutcome { case created, occupied, lost, contended }

    private func createOnce(
        _ pending: PendingWrite,
        payload: RawSpan
    ) throws(SecretStoreError) -> CreationOutcome {
        var outcome = CreationOutcome.lost
        try withPair(for: pending.item) { pair throws(KeyringError) in
            outcome =
                switch try nameState(of: pending.item, in: pair.items) {
                case .live: .occupied
                // The key of the other type may come to bear the name, which the kernel does not exclude.
                case .free where !ItemTypes.haveBigKeys: try createUnlocked(pending, payload: payload, in: pair)
                case .free: try createUnderLease(pending, payload: payload, in: pair)
                case .dead: try createOverDead(pending, payload: payload, in: pair)
                }
        }
        return outcome
    }

    /// Over nothing, the kernel lets only one in.
    private func createUnlocked(
        _ pending: PendingWrite, payload: RawSpan, in pair: NamespaceRings.Pair
    ) throws(KeyringError) -> CreationOutcome {
        do throws(KeyringError) {
            switch try placeUnlocked(pending, payload: payload, in: pair, exclusively: true) {
            case .inTime: return .created
            case .refused: return try createUnderLease(pending, payload: payload, in: pair)
            // Whoever has seen no item is turned down as well.
            case .late: return .created
            }
        } catch {
            // A set was quicker, or what is there has died: look again.
            guard error.code == .alreadyExists else { throw error }
            return .lost
        }
    }

    /// A dead key keeps the name taken until the kernel collects it, so it is displaced, by what was seen.
    private func createOverDead(
        _ pending: PendingWrite, payload: RawSpan, in pair: NamespaceRings.Pair
    ) throws(KeyringError) -> CreationOutcome {
        let isRaised = try waiting(.short).wait { () throws(KeyringError) in
            try rings.raiseUpdateFlag(in: pair.leases, mayWait: mayWait)
        }
        return isRaised ? try createUnderLease(pending, payload: payload, in: pair) : .contended
    }

    private func createUnderLease(
        _ pending: PendingWrite, payload: RawSpan, in pair: NamespaceRings.Pair
    ) throws(KeyringError) -> CreationOutcome {
        var outcome = CreationOutcome.lost
        let lease = try leases.acquireWaitingForQuota(for: pending.item.keyDescription, in: pair.leases)
        guard let lease else { return .contended }
        try publish(pending, payload: payload) { key throws(KeyringError) in
            let state = try nameState(of: pending.item, in: pair.items)
            guard state.key == nil else {
                outcome = .occupied
                return Staging.discard(key)
            }
            // Only those who have raised the flag may displace what they saw.
            if state == .dead, try !rings.haveUpdateFlag(in: pair.leases) { return Staging.discard(key) }
            do throws(KeyringError) {
                if try lease.publish(key, to: pair.items, exclusive: state == .free) { outcome = .created }
            } catch {
                guard error.code == .alreadyExists else { throw error }
            }
        }
        if outcome == .created { try dropFetchSentinel(of: pending.item, in: pair.items) }
        return outcome
    }

    /// What the item's name stands for, as whichever type it may have.
    func nameState(of item: ItemIdentity, in ring: Keyring) throws(KeyringError) -> NameState {
        var state = NameState.free
        for type in ItemTypes.all {
            switch try ring.state(of: type, item.keyDescription) {
            case .free: continue
            case .dead: state = .dead
            case .live(let key): return .live(key)
            }
        }
        return state
    }

    /// Stages the key and has it moved into place: bytes, permissions and timeout appear at once, the kernel displaces the
    /// old key atomically, and a crash before the move leaves nothing behind.
    func publish(
        _ pending: PendingWrite,
        payload: RawSpan,
        waiting backoff: QuotaBackoff = .short,
        move: (Key) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        try waiting(backoff).wait { () throws(KeyringError) in
            let key = try Staging.stage(
                pending.type, pending.item.keyDescription, payload: payload,
                permissions: rings.scope.permissions, timeout: pending.timeout
            )
            do throws(KeyringError) {
                try move(key)
            } catch {
                Staging.discard(key)
                throw error
            }
        }
    }

    /// Removes the key of the other type that has the item's name, on kernels that have both.
    ///
    /// Under the item's lease, and only while what was published is there: of two that publish as different types, one must
    /// remain. By name, because an invalidated key would be found, as revoked, until the kernel has collected it.
    func removeKeyOfOtherType(than pending: PendingWrite) throws(SecretStoreError) {
        guard ItemTypes.haveBigKeys else { return }
        let item = pending.item
        guard try withKey(of: item, type: pending.otherType, { _, _ in }) != nil, let ring = try rings.leases()
        else { return }
        let lease = try leaseOrNil(of: item, in: ring)
        if try withKey(of: item, type: pending.type, { _, _ in }) != nil {
            try unlinkKeyOfOtherType(than: pending)
        }
        _ = lease?.release()
    }

    /// The same for a caller that holds the lease.
    func unlinkKeyOfOtherType(than pending: PendingWrite) throws(SecretStoreError) {
        guard ItemTypes.haveBigKeys else { return }
        _ = try withKey(of: pending.item, type: pending.otherType) { ring, key throws(KeyringError) in
            do throws(KeyringError) {
                try ring.unlink(key)
            } catch {
                // Another process was first.
                guard error.code == .notLinked else { throw error }
            }
        }
    }

    /// Without room for a lease, that key is removed without one.
    ///
    /// It always waits: what was placed has been seen, so that the whole must not be done again by who would wait elsewhere.
    private func leaseOrNil(of item: ItemIdentity, in ring: Keyring) throws(SecretStoreError) -> RingLease? {
        let leases = ItemLeases(rings: rings, mayWait: true)
        do throws(KeyringError) {
            if let lease = try leases.acquire(for: item.keyDescription, in: ring) { return lease }
        } catch {
            guard error.code == .quotaExceeded, mayUseLastResorts else { throw SecretStoreError(error, item: item) }
            return nil
        }
        throw SecretStoreError(.contended, item: item)
    }
}
