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
