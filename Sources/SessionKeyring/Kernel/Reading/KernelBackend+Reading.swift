import Keyutils

extension KernelBackend {
    // Inlined with everything that it calls, because returning from a function is slow after a system call: linux.h in
    // CLinux explains why.
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

    /// Finds the item's live key and runs `body` on it; `nil` if there isn't one.
    ///
    /// Another process may displace the key (move another key of its name to its place) between the search and the
    /// system calls in `body`. These then fail in one of several ways. So the search and `body` are repeated, and a
    /// refusal counts only if the **same** key refuses a second time.
    @inline(__always)
    func withKey<Result: ~Copyable>(
        of item: ItemIdentity,
        linkingInto place: Keyring? = nil,
        _ body: (_ ring: Keyring, _ key: Key) throws(KeyringError) -> Result
    ) throws(SecretStoreError) -> Result? {
        guard var ring = try rings.items() else { return nil }
        var refused: Key?
        for round in 1...SecondLooks.displacedKeys {
            SecondLooks.keepApart(round)
            let key: Key
            do throws(KeyringError) {
                key = try ring.find(.user, item.keyDescription, linkingInto: place)
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

    /// Returns the ring to search next after a failed search; `nil` if the item really is absent.
    ///
    /// A search of a dead ring has the same result as a search for an absent item. So a miss counts only in the ring
    /// that the anchor (``NamespaceRings``) links now.
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

    /// Returns the item's live key; `nil` if there isn't one.
    func current(_ item: ItemIdentity, in ring: Keyring) throws(KeyringError) -> Key? {
        try nameState(of: item, in: ring).key
    }

    /// Looks up the item's name.
    func nameState(of item: ItemIdentity, in ring: Keyring) throws(KeyringError) -> NameState {
        try ring.state(of: .user, item.keyDescription)
    }
}

/// Faster reads if there are many namespaces.
///
/// On every call by serial, the kernel checks whether the caller possesses the key. It looks for the key in all
/// keyrings of the session, one after the other, but first in the thread keyring. So if there are many namespaces, the
/// search for an item also links the key into the thread keyring for the duration of the read. A list does the same
/// with the namespace's ring for the duration of the list.
///
/// This happens only in a thread that already has a keyring, and only if that keyring is empty. A new thread keyring
/// would take a key of the quota for as long as the thread lives, and a link displaces a key of the same type and name.
/// No link outlives its call, so a process that has lost the session can't read anything through such a link. If the
/// process dies during the call, its thread keyring is destroyed with it.
extension KernelBackend {
    /// The keyring for links during a call; `nil` if they would not save time or could do harm.
    var nearPlace: Keyring? {
        guard rings.isCrowded, let size = try? Key(Keyring.thread).payloadSize(), size == 0 else { return nil }
        return .thread
    }

    /// Lends the payload to `body` as `read` does, from a separate copy.
    ///
    /// The link is removed before `body` runs, because `body` may stage a key of the same name in the same keyring.
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

    /// Runs `body` while the ring is linked where the kernel looks first, if that is possible.
    func near<Result>(_ ring: Keyring, _ body: () throws(KeyringError) -> Result) throws(KeyringError) -> Result {
        guard let place = nearPlace, (try? place.link(Key(ring))) != nil else { return try body() }
        defer { try? place.unlink(Key(ring)) }
        return try body()
    }
}

/// The state of a name in a keyring.
enum NameState: Equatable {
    case free
    /// A key that has expired or was revoked. It keeps the name until the kernel collects it.
    case dead
    case live(Key)

    var key: Key? {
        if case .live(let key) = self { key } else { nil }
    }
}

extension Keyring {
    /// Finds the keyring with this name, as ``find(_:_:linkingInto:)`` does.
    func find(keyring description: String) throws(KeyringError) -> Keyring {
        Keyring(try find(.keyring, description).serial)
    }

    /// Looks up a name in this keyring and in keyrings that it links.
    func state(of type: KeyType, _ description: String) throws(KeyringError) -> NameState {
        do throws(KeyringError) {
            return .live(try find(type, description))
        } catch {
            guard error.isKeyGone else { throw error }
            return error.isKeyDead ? .dead : .free
        }
    }

    /// Searches for a key; a refusal counts only if it lasts.
    ///
    /// To check possession, the kernel looks for the keyring in the caller's whole tree. While others move keyrings and
    /// keys there, it may miss the keyring or the key for a moment.
    ///
    /// The key is also linked into `place`, unless there isn't room for the link or the key can't be linked.
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

/// The meaning of an error for the key that was used or the name that was searched for, decided only here.
extension KeyringError {
    /// Whether the key no longer exists, or is dead and keeps its name until the kernel collects it.
    var isKeyGone: Bool { code == .notFound || isKeyDead }

    /// Whether the key has expired or was revoked, and keeps its name until the kernel collects it.
    var isKeyDead: Bool { code == .expired || code == .revoked }

    /// Whether the key was gone, or about to go, when it was used.
    ///
    /// A key that was just displaced or invalidated may also fail with `accessDenied`, because it is no longer
    /// possessed. A key that exists but belongs to others fails in the same way. A caller that must tell the two apart
    /// looks once more.
    var isKeyGoneOrRefused: Bool { isKeyGone || code == .accessDenied }
}

/// Runs kernel operations and converts their errors into the store's errors.
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
