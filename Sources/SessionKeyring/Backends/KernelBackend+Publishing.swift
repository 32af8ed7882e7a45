package import Keyutils

extension KernelBackend {
    package func publish(
        _ bytes: RawSpan,
        for item: ItemIdentity,
        timeout: KeyTimeout?,
        ifAbsent: Bool
    ) throws(SecretStoreError) {
        try rings.requireOwnSession()
        try StoredForm.with(bytes) { payload throws(SecretStoreError) in
            let type = try keyType(forSize: payload.byteCount, escaped: payload.byteCount - bytes.byteCount, item: item)
            let publication = Publication(item: item, type: type, timeout: timeout)
            if ifAbsent {
                try create(publication, payload: payload)
            } else {
                try replace(publication, payload: payload)
            }
        }
    }

    func keyType(forSize size: Int, escaped: Int, item: ItemIdentity) throws(SecretStoreError) -> KeyType {
        if size <= Key.largestUserPayload { return .user }
        if ItemTypes.haveBigKeys, size <= Key.largestBigPayload { return .bigKey }
        let limit = (ItemTypes.haveBigKeys ? Key.largestBigPayload : Key.largestUserPayload) - escaped
        throw SecretStoreError(.tooLarge(size: size - escaped, limit: limit), item: item)
    }

    private func replace(_ publication: Publication, payload: RawSpan) throws(SecretStoreError) {
        do throws(SecretStoreError) {
            try place(publication, payload: payload)
        } catch {
            guard error.underlying?.code == .quotaExceeded else { throw error }
            try replaceNearQuota(publication, payload: payload)
        }
        try dropTwin(of: publication)
    }

    /// Puts the item where it belongs, over whatever is there.
    func place(_ publication: Publication, payload: RawSpan) throws(SecretStoreError) {
        var isPlaced = false
        try withPair(for: publication.item) { pair throws(KeyringError) in
            var placed: Key?
            let isInTurn = try rings.haveUpdates(in: pair.leases)
            if !isInTurn {
                placed = try placePlainly(publication, payload: payload, in: pair)
                isPlaced = placed != nil
                guard isPlaced, try rings.haveUpdates(in: pair.leases) else { return }
            }
            isPlaced = try placeInTurn(publication, payload: payload, in: pair, unlessThereIs: placed)
        }
        if !isPlaced { throw SecretStoreError(.contended, item: publication.item) }
    }

    /// Puts the item in its place where nobody updates.
    ///
    /// A live item is simply displaced. Where there is none, somebody may be creating it at this moment under the item's
    /// lease, having seen that there is none; so we take the lease too.
    private func placePlainly(
        _ publication: Publication, payload: RawSpan, in pair: NamespaceRings.Pair
    ) throws(KeyringError) -> Key? {
        var placed: Key?
        try publish(publication, payload: payload) { key throws(KeyringError) in
            guard try nameState(of: publication.item, in: pair.items) != .live else {
                try Keyring.thread.move(key, to: pair.items)
                placed = key
                return
            }
            guard let lease = try leases.acquire(for: publication.item.keyDescription, in: pair.leases) else {
                return Staging.discard(key)
            }
            try Keyring.thread.move(key, to: pair.items)
            placed = key
            _ = consume lease
        }
        return placed
    }

    /// Puts the item in its place where others update, unless what was put there without asking still is; false if others
    /// held the lease all the time.
    private func placeInTurn(
        _ publication: Publication, payload: RawSpan, in pair: NamespaceRings.Pair, unlessThereIs placed: Key?
    ) throws(KeyringError) -> Bool {
        let name = publication.item.keyDescription
        // Each round lost means that this process was stopped for the lease's whole time.
        for _ in 0..<10 {
            let lease = try QuotaPatience.wait { () throws(KeyringError) in
                try leases.acquireFenced(for: name, in: pair.leases)
            }
            guard let lease else { return false }
            if let placed, try current(publication, in: pair.items) == placed { return true }
            var isPublished = false
            try publish(publication, payload: payload) { key throws(KeyringError) in
                isPublished = try lease.publish(key, in: pair.items)
            }
            if isPublished { return true }
        }
        return false
    }

    private func current(_ publication: Publication, in ring: Keyring) throws(KeyringError) -> Key? {
        do throws(KeyringError) {
            return try ring.search(publication.type, publication.item.keyDescription)
        } catch {
            guard error.code == .notFound || error.code == .expired || error.code == .revoked else { throw error }
            return nil
        }
    }

    /// Creates the item if no live one is there, under its lease, so that no other creator can win too.
    private func create(_ publication: Publication, payload: RawSpan) throws(SecretStoreError) {
        let item = publication.item
        // Each round lost means that another process held the lease for its whole time, or was quicker.
        for _ in 0..<10 {
            let outcome: CreationOutcome
            do throws(SecretStoreError) {
                outcome = try createOnce(publication, payload: payload)
            } catch {
                guard error.underlying?.code == .quotaExceeded, try reapExpired() > 0 else { throw error }
                continue
            }
            switch outcome {
            case .created: return
            case .occupied: throw SecretStoreError(.duplicate, item: item)
            case .lost: continue
            }
        }
        throw SecretStoreError(.contended, item: item)
    }

    private enum CreationOutcome { case created, occupied, lost }

    private func createOnce(
        _ publication: Publication,
        payload: RawSpan
    ) throws(SecretStoreError) -> CreationOutcome {
        var outcome = CreationOutcome.lost
        try withPair(for: publication.item) { pair throws(KeyringError) in
            outcome =
                switch try nameState(of: publication.item, in: pair.items) {
                case .live: .occupied
                case .free: try createExclusively(publication, payload: payload, in: pair)
                case .dead: try createOverDead(publication, payload: payload, in: pair)
                }
        }
        return outcome
    }

    private func createExclusively(
        _ publication: Publication, payload: RawSpan, in pair: NamespaceRings.Pair
    ) throws(KeyringError) -> CreationOutcome {
        var outcome = CreationOutcome.lost
        let lease = try QuotaPatience.wait { () throws(KeyringError) in
            try leases.acquire(for: publication.item.keyDescription, in: pair.leases)
        }
        guard let lease else { return .lost }
        try publish(publication, payload: payload) { key throws(KeyringError) in
            // The other type of key may have come to bear the name.
            guard try nameState(of: publication.item, in: pair.items) == .free, lease.isHeld else {
                return Staging.discard(key)
            }
            do throws(KeyringError) {
                try Keyring.thread.move(key, to: pair.items, exclusive: true)
                outcome = .created
            } catch {
                // A set was quicker, or what is there has died: look again.
                guard error.code == .alreadyExists else { throw error }
                Staging.discard(key)
            }
        }
        return outcome
    }

    /// A dead key keeps the name taken until the kernel collects it, so it is displaced; through a fence, because a creator
    /// that was stopped would displace whatever is there by then.
    private func createOverDead(
        _ publication: Publication, payload: RawSpan, in pair: NamespaceRings.Pair
    ) throws(KeyringError) -> CreationOutcome {
        var outcome = CreationOutcome.lost
        let lease = try QuotaPatience.wait { () throws(KeyringError) in
            try leases.acquireFenced(for: publication.item.keyDescription, in: pair.leases)
        }
        guard let lease else { return .lost }
        try publish(publication, payload: payload) { key throws(KeyringError) in
            guard try nameState(of: publication.item, in: pair.items) == .dead else { return Staging.discard(key) }
            if try lease.publish(key, in: pair.items) { outcome = .created }
        }
        return outcome
    }

    private enum NameState { case free, dead, live }

    private func nameState(of item: ItemIdentity, in ring: Keyring) throws(KeyringError) -> NameState {
        var state = NameState.free
        for type in ItemTypes.all {
            do throws(KeyringError) {
                _ = try ring.search(type, item.keyDescription)
                return .live
            } catch {
                switch error.code {
                case .notFound: continue
                case .expired, .revoked: state = .dead
                default: throw error
                }
            }
        }
        return state
    }

    /// Stages the key and has it moved into place: bytes, permissions and timeout appear at once, the kernel displaces the
    /// old key atomically, and a crash before the move leaves nothing behind.
    func publish(
        _ publication: Publication,
        payload: RawSpan,
        move: (Key) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        try QuotaPatience.wait { () throws(KeyringError) in
            let key = try Staging.stage(
                publication.type, publication.item.keyDescription, payload: payload,
                permissions: rings.scope.permissions, timeout: publication.timeout
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
    /// remain.
    func dropTwin(of publication: Publication) throws(SecretStoreError) {
        guard ItemTypes.haveBigKeys else { return }
        let (item, other) = (publication.item, publication.type == .user ? KeyType.bigKey : .user)
        guard let twin = try withKey(of: item, type: other, { _, key in key }), let ring = try rings.leases() else {
            return
        }
        let lease = try leaseOrNil(of: item, in: ring)
        if try withKey(of: item, type: publication.type, { _, _ in }) != nil { try twin.invalidateIfAlive(about: item) }
        _ = consume lease
    }

    /// The same for a caller that holds the lease.
    func dropTwinInTurn(of publication: Publication) throws(SecretStoreError) {
        guard ItemTypes.haveBigKeys else { return }
        let other: KeyType = publication.type == .user ? .bigKey : .user
        try withKey(of: publication.item, type: other) { _, key in key }?.invalidateIfAlive(about: publication.item)
    }

    /// Without room for a lease, the twin is dropped without one.
    private func leaseOrNil(of item: ItemIdentity, in ring: Keyring) throws(SecretStoreError) -> ExactLease? {
        do throws(KeyringError) {
            return try leases.acquire(for: item.keyDescription, in: ring)
        } catch {
            guard error.code == .quotaExceeded else { throw SecretStoreError(error, item: item) }
            return nil
        }
    }
}

extension Key {
    /// Removes exactly this key.
    ///
    /// One that is gone or dying already is what was wanted.
    fileprivate func invalidateIfAlive(about item: ItemIdentity) throws(SecretStoreError) {
        do throws(KeyringError) {
            try invalidate()
        } catch {
            switch error.code {
            case .notFound, .expired, .revoked, .accessDenied: return
            default: throw SecretStoreError(error, item: item)
            }
        }
    }
}
