import Keyutils

extension KernelBackend {
    // Inlined with everything that it calls, because returning from a function is slow after a system call: linux.h in
    // CLinux explains why.
    @inline(__always)
    package func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        try withKey(of: item) { _, key throws(KeyringError) in
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
        _ body: (_ ring: Keyring, _ key: Key) throws(KeyringError) -> Result
    ) throws(SecretStoreError) -> Result? {
        guard var ring = try rings.items() else { return nil }
        var refused: Key?
        for round in 1...SecondLooks.displacedKeys {
            SecondLooks.keepApart(round)
            let key: Key
            do throws(KeyringError) {
                key = try ring.find(.user, item.keyDescription)
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
    /// Finds the keyring with this name, as ``find(_:_:)`` does.
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
    @inline(__always)
    func find(_ type: KeyType, _ description: String) throws(KeyringError) -> Key {
        do throws(KeyringError) {
            return try search(type, description)
        } catch {
            if error.code == .notFound { throw error }
            return try find(type, description, after: error)
        }
    }

    @inline(never)
    private func find(
        _ type: KeyType, _ description: String, after error: KeyringError
    ) throws(KeyringError) -> Key {
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

/// Runs `body`; `nil` if a key that it used was gone, or refused this process (``KeyringError/isKeyGoneOrRefused``).
@discardableResult @inline(__always)
func unlessGoneOrRefused<Result>(_ body: () throws(KeyringError) -> Result) throws(KeyringError) -> Result? {
    do throws(KeyringError) {
        return try body()
    } catch {
        guard error.isKeyGoneOrRefused else { throw error }
        return nil
    }
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
