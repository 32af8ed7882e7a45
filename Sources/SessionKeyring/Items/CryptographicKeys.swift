public import FoundationEssentials
import Keyutils

/// A cryptographic key that has raw bytes, and is stored as those.
///
/// ```swift
/// try store.set(signingKey, for: .key(tag: "com.example.sign"))
/// let again = try store.get(.key(tag: "com.example.sign"), as: Curve25519.Signing.PrivateKey.self)
/// ```
///
/// With the package trait `Crypto`, swift-crypto's symmetric and private keys conform. Without it you may say so yourself, for
/// the private keys have what it takes:
///
/// ```swift
/// extension Curve25519.Signing.PrivateKey: @retroactive RawRepresentableKey {}
/// ```
///
/// A key that is `Codable` too is stored as its raw bytes all the same. So all programs that share items of such a type must
/// have the conformance, from the first item on.
public protocol RawRepresentableKey {
    /// A key from its raw bytes.
    ///
    /// - Throws: why the bytes are no such key.
    init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws

    /// The key's raw bytes, which may share memory with the key; nobody wipes them.
    var rawRepresentation: Data { get }
}

extension RawRepresentableKey {
    init(decoding bytes: RawSpan) throws {
        self = try unsafe bytes.withUnsafeBytes { try unsafe Self(rawRepresentation: $0) }
    }

    /// A copy that is wiped, of bytes that are not: they may be the key's own memory.
    var secretBytes: SecretBytes { SecretBytes(copying: rawRepresentation.bytes) }
}

// A key that is `Codable` too would fit two forms of each: these give way to those for `Codable`, which take its raw bytes as
// well.
extension SecretStore {
    /// A cryptographic key; `nil` where there is no such item.
    ///
    /// - Throws: ``SecretStoreError`` with `undecodable` where the bytes are no key of that type.
    @_disfavoredOverload
    public func get<Key: RawRepresentableKey>(
        _ item: ItemIdentity,
        as type: Key.Type = Key.self
    ) throws(SecretStoreError) -> Key? {
        try decoding(item) { bytes in try Key(decoding: bytes) }
    }

    /// Stores a cryptographic key, replacing the item that is there with its timeout.
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

    /// Stores a cryptographic key as the blocking form does, and waits up to `limit` without keeping a thread.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as the blocking form.
    @_disfavoredOverload
    public nonisolated(nonsending) func set<Key: RawRepresentableKey>(
        _ key: Key, for item: ItemIdentity, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await set(key.secretBytes, for: item, timeout: timeout, waiting: limit)
    }

    /// Stores a cryptographic key only if no live item is there; of many processes that do so at once, one succeeds.
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

    /// Stores a cryptographic key as the blocking form does, and waits up to `limit` without keeping a thread.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as the blocking form.
    @_disfavoredOverload
    public nonisolated(nonsending) func add<Key: RawRepresentableKey>(
        _ key: Key, for item: ItemIdentity, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await add(key.secretBytes, for: item, timeout: timeout, waiting: limit)
    }

    /// A typed slot: one item that holds a cryptographic key.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: what it holds.
    ///   - timeout: the timeout of what is saved, unless another is given.
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
