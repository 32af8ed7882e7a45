import Keyutils

extension KernelBackend {
    // Inlined, with what it calls, because to return from each function costs more behind a system call: see CLinux.
    @inline(__always)
    package func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        if let place = nearPlace { return try readNear(place, item, body) }
        return try withKey(of: item) { _, key throws(KeyringError) in
            try key.lendPayload { payload in
                body(payload.extracting(first: PayloadEncoding.secretSize(payload)))
            }
        } != nil
    }

    package func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try withKey(of: item) { _, _ in } != nil
    }

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

/// Reading among many namespaces.
///
/// On every call by serial the kernel looks for the key in all keyrings of the session, one after the other, to learn whether
/// it is possessed. What the thread keyring links is found first. So where there are many, the search for an item links it
/// there for the time of the read, and a list links the namespace's ring for the time of the list.
///
/// This is done only in a thread whose keyring is there and empty: to make one takes a key of the quota for as long as the
/// thread lives, and a link displaces what has its type and name. No link outlives its call, so whoever has lost the session
/// can read nothing through it; the thread keyring of a process that dies in between goes with it.
extension KernelBackend {
    /// Where a link for the time of a call pays and does no harm.
    var nearPlace: Keyring? {
        guard rings.isCrowded, let size = try? Key(Keyring.thread).payloadSize(), size == 0 else { return nil }
        return .thread
    }

    /// Lends the payload that `read` lends, from memory of its own.
    ///
    /// The link is gone before `body` runs, which may stage a key of the same name in the same place.
    func readNear(
        _ place: Keyring, _ item: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> Bool {
        try withKey(of: item, linkingInto: place) { _, key throws(KeyringError) -> Void in
            let payload = try Self.payload(of: key, linkedInto: place)
            payload.withBytes { bytes in body(bytes.extracting(first: PayloadEncoding.secretSize(bytes))) }
        } != nil
    }

    private static func payload(of key: Key, linkedInto place: Keyring) throws(KeyringError) -> SecretBytes {
        defer { try? place.unlink(key) }
        return try key.read()
    }

    /// Runs `body` with the ring linked where the kernel looks first, if that is possible.
    func near<Result>(_ ring: Keyring, _ body: () throws(KeyringError) -> Result) throws(KeyringError) -> Result {
        guard let place = nearPlace, (try? place.link(Key(ring))) != nil else { return try body() }
        defer { try? place.unlink(Key(ring)) }
        return try body()
    }
}
