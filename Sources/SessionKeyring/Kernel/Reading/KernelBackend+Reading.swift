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

    package func readWithFacts(
        _ item: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> KnownValue? {
        for _ in 0..<SecondLooks.replacedRings {
            guard let ring = try rings.items() else { return nil }
            // The record first: a value that was already refused when the call began is then known as refused, even if
            // it is displaced during the call.
            let record = try inStoreTerms(item) { () throws(KeyringError) in try self.record(of: item, in: ring) }
            var isInOtherRing = false
            let known = try withKey(of: item) { found, key throws(KeyringError) -> KnownValue? in
                isInOtherRing = found != ring
                guard !isInOtherRing else { return nil }
                let hash = try key.withPayload { payload in
                    let bytes = payload.extracting(first: PayloadEncoding.secretSize(payload))
                    body(bytes)
                    return FNV1a.hash(of: bytes)
                }
                let facts = Self.facts(record, of: item, key: key, hash: hash)
                return KnownValue(key: key.serial.rawValue, hash: hash, facts: facts)
            }
            if !isInOtherRing { return known ?? nil }
        }
        throw SecretStoreError(.blocked(.ringMaker), item: item)
    }

    /// Reads the facts about an item's value; `nil` if there aren't any, or if they can't be read.
    func facts(
        of item: ItemIdentity, key: Key, hash: UInt64, in ring: Keyring
    ) throws(KeyringError) -> ItemFacts? {
        Self.facts(try record(of: item, in: ring), of: item, key: key, hash: hash)
    }

    private static func facts(
        _ record: borrowing SecretBytes, of item: ItemIdentity, key: Key, hash: UInt64
    ) -> ItemFacts? {
        record.withBytes { ItemFacts(record: $0, of: item, key: key.serial.rawValue, hash: hash) }
    }

    /// Reads the item's companion; empty if there isn't one, or if it can't be read.
    private func record(of item: ItemIdentity, in ring: Keyring) throws(KeyringError) -> SecretBytes {
        var record = SecretBytes(copying: RawSpan())
        try unlessGoneOrRefused { () throws(KeyringError) in
            try ring.find(.user, item.companion.keyDescription).lendPayload { record = SecretBytes(copying: $0) }
        }
        return record
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

/// The conversion of a secret's bytes to a key's payload.
///
/// The payload is the secret's own bytes, with one exception. The kernel refuses an empty payload, so a secret of n NUL
/// bytes, n >= 0, is stored as n + 1 NUL bytes.
enum PayloadEncoding {
    /// Lends the payload for these bytes to `body`.
    static func with<Result>(
        _ bytes: RawSpan,
        _ body: (RawSpan) throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        guard isAllZero(bytes) else { return try body(bytes) }
        let escaped = unsafe SecretBytes(capacity: bytes.byteCount + 1) { $0.count }
        return try escaped.withBytes(body)
    }

    /// Returns how many of the payload's bytes are the secret.
    static func secretSize(_ payload: RawSpan) -> Int {
        isAllZero(payload) ? max(0, payload.byteCount - 1) : payload.byteCount
    }

    /// Returns the hash of a payload's secret, which facts refer to.
    static func hashOfSecret(in payload: RawSpan) -> UInt64 {
        FNV1a.hash(of: payload.extracting(first: secretSize(payload)))
    }

    @inline(__always)
    private static func isAllZero(_ bytes: RawSpan) -> Bool {
        for offset in 0..<bytes.byteCount where unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) != 0 {
            return false
        }
        return true
    }
}
