package import Keyutils

extension KernelBackend {
    package func publish(
        _ bytes: RawSpan,
        for item: ItemIdentity,
        timeout: KeyTimeout?,
        ifAbsent: Bool
    ) throws(SecretStoreError) {
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

    private func keyType(forSize size: Int, escaped: Int, item: ItemIdentity) throws(SecretStoreError) -> KeyType {
        if size <= Key.largestUserPayload { return .user }
        if ItemTypes.haveBigKeys, size <= Key.largestBigPayload { return .bigKey }
        let limit = (ItemTypes.haveBigKeys ? Key.largestBigPayload : Key.largestUserPayload) - escaped
        throw SecretStoreError(.tooLarge(size: size - escaped, limit: limit), item: item)
    }

    /// Replaces whatever is there.
    ///
    /// Whoever holds the item's lease has looked at the item and is about to write. If one was held after our write, ours
    /// may be lost under it, so it is written again: the holder's write then came first.
    private func replace(_ publication: Publication, payload: RawSpan) throws(SecretStoreError) {
        let item = publication.item
        repeat {
            let twin = try twin(of: publication)
            do throws(SecretStoreError) {
                try withPair(for: item) { pair throws(KeyringError) in
                    try place(publication, payload: payload, in: pair.items)
                }
            } catch {
                guard error.underlying?.code == .quotaExceeded else { throw error }
                try replaceNearQuota(publication, payload: payload)
            }
            try twin?.invalidateIfAlive(about: item)
        } while try leases.waitWhileHeld(for: item)
    }

    /// Creates the item if no live one is there, under its lease, so that no other creator can win too.
    private func create(_ publication: Publication, payload: RawSpan) throws(SecretStoreError) {
        let item = publication.item
        // Each round lost means that another process held the lease for its whole time.
        for _ in 0..<10 {
            let lease = try leases.acquire(for: item)
            let outcome: CreationOutcome
            do throws(SecretStoreError) {
                outcome = try createOnce(publication, payload: payload, under: lease)
            } catch {
                guard error.underlying?.code == .quotaExceeded, try reapExpired() > 0 else { throw error }
                continue
            }
            switch outcome {
            case .created: return
            case .occupied: throw SecretStoreError(.duplicate, item: item)
            case .leaseLost: continue
            }
        }
        throw SecretStoreError(.contended, item: item)
    }

    private enum CreationOutcome { case created, occupied, leaseLost }

    private func createOnce(
        _ publication: Publication,
        payload: RawSpan,
        under lease: borrowing ExactLease
    ) throws(SecretStoreError) -> CreationOutcome {
        var outcome = CreationOutcome.leaseLost
        try withPair(for: publication.item) { pair throws(KeyringError) in
            let name = try nameState(of: publication.item, in: pair.items)
            guard name != .live else {
                outcome = .occupied
                return
            }
            guard lease.isHeld else { return }
            do throws(KeyringError) {
                // A dead key keeps the name taken until the kernel collects it, so it is displaced.
                try place(publication, payload: payload, in: pair.items, exclusive: name == .free)
                outcome = .created
            } catch {
                // A plain `set`, which needs no lease, came first.
                guard error.code == .alreadyExists else { throw error }
                outcome = .occupied
            }
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

    /// Stages the key and moves it into place: bytes, permissions and timeout appear at once, the kernel displaces the old
    /// key atomically, and a crash before the move leaves nothing behind.
    func place(
        _ publication: Publication,
        payload: RawSpan,
        in ring: Keyring,
        exclusive: Bool = false
    ) throws(KeyringError) {
        try QuotaPatience.wait { () throws(KeyringError) in
            let key = try Staging.stage(
                publication.type, publication.item.keyDescription, payload: payload,
                permissions: rings.scope.permissions, timeout: publication.timeout
            )
            do throws(KeyringError) {
                try Keyring.thread.move(key, to: ring, exclusive: exclusive)
            } catch {
                Staging.discard(key)
                throw error
            }
        }
    }

    /// The live key of the other type that has the item's name, on kernels that have both.
    private func twin(of publication: Publication) throws(SecretStoreError) -> Key? {
        guard ItemTypes.haveBigKeys else { return nil }
        return try withKey(of: publication.item, type: publication.type == .user ? .bigKey : .user) { _, key in key }
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
