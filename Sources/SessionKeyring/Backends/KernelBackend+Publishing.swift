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
    ///
    /// A live item is simply displaced. Where there is none, somebody may be creating it at this moment under the item's
    /// lease, having seen that there is none; so we take the lease too.
    func place(_ publication: Publication, payload: RawSpan) throws(SecretStoreError) {
        var isContended = false
        try withPair(for: publication.item) { pair throws(KeyringError) in
            isContended = false
            try publish(publication, payload: payload) { key throws(KeyringError) in
                guard try nameState(of: publication.item, in: pair.items) != .live else {
                    return try Keyring.thread.move(key, to: pair.items)
                }
                guard let lease = try leases.acquire(for: publication.item.keyDescription, in: pair.leases) else {
                    isContended = true
                    return Staging.discard(key)
                }
                try Keyring.thread.move(key, to: pair.items)
                _ = consume lease
            }
        }
        if isContended { throw SecretStoreError(.contended, item: publication.item) }
    }

    /// Creates the item if no live one is there, under its lease, so that no other creator can win too.
    private func create(_ publication: Publication, payload: RawSpan) throws(SecretStoreError) {
        let item = publication.item
        // Each round lost means that another process held the lease for its whole time.
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
            case .leaseLost: continue
            }
        }
        throw SecretStoreError(.contended, item: item)
    }

    private enum CreationOutcome { case created, occupied, leaseLost }

    private func createOnce(
        _ publication: Publication,
        payload: RawSpan
    ) throws(SecretStoreError) -> CreationOutcome {
        var outcome = CreationOutcome.leaseLost
        try withPair(for: publication.item) { pair throws(KeyringError) in
            outcome = .leaseLost
            let name = publication.item.keyDescription
            let lease = try QuotaPatience.wait { () throws(KeyringError) in
                try leases.acquire(for: name, in: pair.leases)
            }
            guard let lease else { return }
            let state = try nameState(of: publication.item, in: pair.items)
            guard state != .live else {
                outcome = .occupied
                return
            }
            try publish(publication, payload: payload) { key throws(KeyringError) in
                guard lease.isHeld else { return Staging.discard(key) }
                // A dead key keeps the name taken until the kernel collects it, so it is displaced.
                try Keyring.thread.move(key, to: pair.items, exclusive: state == .free)
                outcome = .created
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

    /// Stages the key and has it moved into place: bytes, permissions and timeout appear at once, the kernel displaces the
    /// old key atomically, and a crash before the move leaves nothing behind.
    private func publish(
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
    private func dropTwin(of publication: Publication) throws(SecretStoreError) {
        guard ItemTypes.haveBigKeys else { return }
        let other: KeyType = publication.type == .user ? .bigKey : .user
        try withKey(of: publication.item, type: other) { _, key in key }?.invalidateIfAlive(about: publication.item)
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
