public import FoundationEssentials
import Keyutils

/// A cryptographic key that is stored as its raw bytes.
///
/// ```swift
/// let slot = store.slot(for: .key(tag: "com.example.sign"), as: Curve25519.Signing.PrivateKey.self)
/// try slot.save(signingKey)
/// let again = try slot.load()
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
