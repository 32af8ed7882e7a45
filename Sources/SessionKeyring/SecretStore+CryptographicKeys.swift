// Two overloads of each method fit a key that is also `Codable`. The ones here are disfavored, so the compiler chooses
// the ones for `Codable`, which store the raw bytes as well.
extension SecretStore {
    /// Reads a cryptographic key.
    ///
    /// - Returns: the key, or `nil` if the item does not exist.
    /// - Throws: ``SecretStoreError`` with `undecodable` if the bytes are not a key of that type.
    @_disfavoredOverload
    public func get<Key: RawRepresentableKey>(
        _ item: ItemIdentity,
        as type: Key.Type = Key.self
    ) throws(SecretStoreError) -> Key? {
        try decoding(item) { bytes in try Key(decoding: bytes) }
    }

    /// Stores a cryptographic key, replacing any existing item and its timeout.
    ///
    /// - Throws: ``SecretStoreError`` as ``set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    @_disfavoredOverload
    public func set<Key: RawRepresentableKey>(
        _ key: Key,
        for item: ItemIdentity,
        timeout: Duration? = nil
    ) throws(SecretStoreError) {
        try set(key.secretBytes, for: item, timeout: timeout)
    }

    /// Stores a cryptographic key, replacing any existing item; waits for at most `limit`, without blocking a thread.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as the blocking form.
    @_disfavoredOverload
    public nonisolated(nonsending) func set<Key: RawRepresentableKey>(
        _ key: Key, for item: ItemIdentity, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await set(key.secretBytes, for: item, timeout: timeout, waiting: limit)
    }

    /// Stores a cryptographic key unless a live item exists.
    ///
    /// If many processes try this at the same time, one of them succeeds.
    ///
    /// - Throws: ``SecretStoreError`` as ``add(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    @_disfavoredOverload
    public func add<Key: RawRepresentableKey>(
        _ key: Key,
        for item: ItemIdentity,
        timeout: Duration? = nil
    ) throws(SecretStoreError) {
        try add(key.secretBytes, for: item, timeout: timeout)
    }

    /// Stores a cryptographic key unless a live item exists; waits for at most `limit`, without blocking a thread.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as the blocking form.
    @_disfavoredOverload
    public nonisolated(nonsending) func add<Key: RawRepresentableKey>(
        _ key: Key, for item: ItemIdentity, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await add(key.secretBytes, for: item, timeout: timeout, waiting: limit)
    }
}
