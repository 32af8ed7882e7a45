public import FoundationEssentials
import Keyutils

/// A cryptographic key that is stored as its raw bytes.
///
/// ```swift
/// try store.set(signingKey, for: .key(tag: "com.example.sign"))
/// let again = try store.get(.key(tag: "com.example.sign"), as: Curve25519.Signing.PrivateKey.self)
/// ```
///
/// With the package trait `Crypto`, swift-crypto's symmetric and private keys conform. Without it, you can declare the
/// conformance for the private keys yourself, because they already have the required members:
///
/// ```swift
/// extension Curve25519.Signing.PrivateKey: @retroactive RawRepresentableKey {}
/// ```
///
/// A key type that is also `Codable` is still stored as its raw bytes. So all programs that share items of such a type
/// must have the conformance, from the first item on.
public protocol RawRepresentableKey {
    /// Creates a key from its raw bytes.
    ///
    /// - Throws: an error that explains why the bytes are not such a key.
    init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws

    /// The key's raw bytes; they can share memory with the key, and nobody wipes them.
    var rawRepresentation: Data { get }
}

extension RawRepresentableKey {
    init(decoding bytes: RawSpan) throws {
        self = try unsafe bytes.withUnsafeBytes { try unsafe Self(rawRepresentation: $0) }
    }

    /// A copy of the raw bytes that is wiped.
    ///
    /// The raw bytes themselves can't be wiped, because they might be the key's own memory.
    var secretBytes: SecretBytes { SecretBytes(copying: rawRepresentation.bytes) }
}

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

    /// Creates a typed slot: one item that holds a cryptographic key.
    ///
    /// - Parameters:
    ///   - item: the slot's item.
    ///   - type: the type of the key.
    ///   - timeout: the timeout of saved keys, unless a call gives another one.
    @_disfavoredOverload
    public func slot<Key: RawRepresentableKey & Sendable>(
        for item: ItemIdentity,
        as type: Key.Type = Key.self,
        timeout: Duration? = nil
    ) -> SecretSlot<Key> {
        SecretSlot(
            store: self, item: item, timeout: timeout, encode: { key in key.secretBytes },
            decode: { bytes in try Key(decoding: bytes) })
    }
}
