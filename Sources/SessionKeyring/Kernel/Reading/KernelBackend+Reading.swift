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
        throw SecretStoreError(.blocked(.itemLease), item: item)
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

/// What a name in a keyring stands for.
enum NameState: Equatable {
    case free
    /// A key that has expired or was revoked, which keeps the name until the kernel collects it.
    case dead
    case live(Key)

    var key: Key? {
        if case .live(let key) = self { key } else { nil }
    }
}

extension Keyring {
    /// A keyring of that name, as ``find(_:_:linkingInto:)`` does.
    func find(keyring description: String) throws(KeyringError) -> Keyring {
        Keyring(try find(.keyring, description).serial)
    }

    /// What the name stands for; in keyrings that this one links too.
    func state(of type: KeyType, _ description: String) throws(KeyringError) -> NameState {
        do throws(KeyringError) {
            return .live(try find(type, description))
        } catch {
            guard error.isKeyGone else { throw error }
            return error.isKeyDead ? .dead : .free
        }
    }

    /// Searches, and believes a refusal only if it lasts.
    ///
    /// The kernel looks for the keyring in the caller's whole tree to know whether it is possessed, and may miss it, or the
    /// key, for a moment while others move keyrings and keys there.
    ///
    /// The key is linked into `place` too, unless there is no room for that, or it may not be linked.
    @inline(__always)
    func find(
        _ type: KeyType, _ description: String, linkingInto place: Keyring? = nil
    ) throws(KeyringError) -> Key {
        do throws(KeyringError) {
            return try search(type, description, linkingInto: place)
        } catch {
            if error.code == .notFound { throw error }
            return try find(type, description, after: error, place)
        }
    }

    @inline(never)
    private func find(
        _ type: KeyType, _ description: String, after error: KeyringError, _ place: Keyring?
    ) throws(KeyringError) -> Key {
        if place != nil, error.code == .quotaExceeded || error.code == .accessDenied {
            return try find(type, description)
        }
        guard error.code == .accessDenied else { throw error }
        var backoff = SecondLooks.refusalBackoff
        for _ in 1..<SecondLooks.refusedSearches {
            Pause.sleep(backoff.next())
            do throws(KeyringError) {
                return try search(type, description)
            } catch {
                guard error.code == .accessDenied else { throw error }
            }
        }
        Pause.sleep(backoff.next())
        return try search(type, description)
    }
}

/// What an error says of the key that was touched, or of the name that was looked for: decided here alone.
extension KeyringError {
    /// Whether it is there no more, or keeps its name, dead, until the kernel collects it.
    var isKeyGone: Bool { code == .notFound || isKeyDead }

    /// Whether it keeps its name, expired or revoked, until the kernel collects it.
    var isKeyDead: Bool { code == .expired || code == .revoked }

    /// Whether the key was gone, or going, when it was touched.
    ///
    /// A key that was just displaced or invalidated may also answer that it is no longer possessed. So may one that is there
    /// and not for us: who has to tell them apart looks once more.
    var isKeyGoneOrRefused: Bool { isKeyGone || code == .accessDenied }
}

/// Runs calls of the kernel; their error is reported in the store's terms.
@inline(__always)
func inStoreTerms<Result: ~Copyable>(
    _ item: ItemIdentity? = nil, _ body: () throws(KeyringError) -> Result
) throws(SecretStoreError) -> Result {
    do throws(KeyringError) {
        return try body()
    } catch {
        throw SecretStoreError(error, item: item)
    }
}
