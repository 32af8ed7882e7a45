public import FoundationEssentials
import Keyutils

/// A cryptographic key that has raw bytes.
///
/// The private keys of swift-crypto conform as they are:
///
/// ```swift
/// extension Curve25519.Signing.PrivateKey: RawRepresentableKey {}
/// ```
public protocol RawRepresentableKey {
    /// A key from its raw bytes.
    ///
    /// - Throws: why the bytes are no such key.
    init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws

    /// The key's raw bytes, which may share memory with the key; nobody wipes them.
    var rawRepresentation: Data { get }
}

extension SecretStore {
    /// A key by its tag; `nil` where there is none.
    ///
    /// - Throws: ``SecretStoreError`` with `undecodable` where the bytes are no key of that type, or as ``get(_:)`` does.
    public func key<Key: RawRepresentableKey>(
        tag: String,
        as type: Key.Type = Key.self
    ) throws(SecretStoreError) -> Key? {
        try decoding(.key(tag: tag)) { bytes in
            try unsafe bytes.withUnsafeBytes { try unsafe Key(rawRepresentation: $0) }
        }
    }

    /// Stores a key under a tag.
    ///
    /// A tag that is in use is refused unless `replacing` says otherwise.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate`, or as ``set(_:for:timeout:)`` does.
    public func set<Key: RawRepresentableKey>(
        _ key: Key,
        tag: String,
        timeout: Duration? = nil,
        replacing: Bool = false
    ) throws(SecretStoreError) {
        // Not wiped: it may be the key's own memory.
        try publish(key.rawRepresentation.bytes, for: .key(tag: tag), timeout: timeout, ifAbsent: !replacing)
    }
}
