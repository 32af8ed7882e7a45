import Keyutils

extension KernelBackend {
    /// Finds the item's live key and runs `body` on it; `nil` where there is none.
    ///
    /// The key may be displaced between the search and what `body` does, which then fails in one of several ways; so both
    /// are done again, and only a second refusal by the **same** key counts.
    @inline(__always)
    func withKey<Result: ~Copyable>(
        of item: ItemIdentity,
        type: KeyType? = nil,
        linkingInto place: Keyring? = nil,
        _ body: (_ ring: Keyring, _ key: Key) throws(KeyringError) -> Result
    ) throws(SecretStoreError) -> Result? {
        guard var ring = try rings.items() else { return nil }
        var refused: Key?
        for round in 1...SecondLooks.displacedKeys {
            SecondLooks.keepApart(round)
            let key: Key
            do throws(KeyringError) {
                key = try search(for: item, in: ring, type: type, linkingInto: place)
            } catch {
                guard let next = try ringAfter(error, on: item, in: ring) else { return nil }
                ring = next
                continue
            }
            do throws(KeyringError) {
                return try body(ring, key)
            } catch {
                switch error.code {
                case _ where error.isKeyGone: continue
                case .accessDenied where refused != key: refused = key
                default: throw SecretStoreError(error, item: item)
                }
            }
        }
        throw SecretStoreError(.contended, item: item)
    }

    /// Looks for the item as that type, or as each that it may have.
    @inline(__always)
    private func search(
        for item: ItemIdentity, in ring: Keyring, type: KeyType?, linkingInto place: Keyring?
    ) throws(KeyringError) -> Key {
        do throws(KeyringError) {
            return try ring.find(type ?? .user, item.keyDescription, linkingInto: place)
        } catch {
            // Behind one that has expired, an older value may still be waiting to be removed.
            guard type == nil, error.code == .notFound || error.code == .revoked, ItemTypes.haveBigKeys else {
                throw error
            }
            return try ring.find(.bigKey, item.keyDescription, linkingInto: place)
        }
    }

    /// What a failed search means: the ring to look in again, or `nil` if the item really is absent.
    ///
    /// A dead ring answers as an absent item does, so a miss is believed only of the ring that the anchor links now.
    @inline(never)
    private func ringAfter(
        _ error: KeyringError,
        on item: ItemIdentity,
        in ring: Keyring
    ) throws(SecretStoreError) -> Keyring? {
        let current = try rings.findItems()
        switch error.code {
        case _ where error.isKeyGone: return current == ring ? nil : current
        case .accessDenied:
            guard current == ring else { return current }
            throw SecretStoreError(error, item: item)
        default: throw SecretStoreError(error, item: item)
        }
    }

    /// The item's live key.
    func current(_ item: ItemIdentity, in ring: Keyring) throws(KeyringError) -> Key? {
        try nameState(of: item, in: ring).key
    }

    /// What the item's name stands for, as any type that it may have.
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
}
