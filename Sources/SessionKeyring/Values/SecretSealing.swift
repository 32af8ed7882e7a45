public import Keyutils

/// A hook that encrypts secrets before a store keeps them, and decrypts them when it reads them.
///
/// ```swift
/// let sealing = SecretSealing(
///     seal: { secret, item in try encrypt(secret, for: item) },
///     open: { stored, item in try decrypt(stored, for: item) })
/// let store = try SecretStore(namespace: "com.example.app", sealing: sealing)
/// ```
///
/// The kernel, its quota and the lists see only the sealed bytes, and so do `skr` and stores without this hook. The
/// limit of 32,767 bytes applies to the sealed bytes. If two stores of a process have different values of this type,
/// even with equal closures, they don't share fetches. If sealing has random parts, a value that is refused while a fetch
/// returns the same value again counts as a new one.
public struct SecretSealing: Sendable {
    private final class Identity: Sendable {}

    private let encrypt: @Sendable (RawSpan, ItemIdentity) throws -> SecretBytes
    private let decrypt: @Sendable (RawSpan, ItemIdentity) throws -> SecretBytes
    private let identity = Identity()

    /// Creates a hook from two functions, which any number of threads can call at the same time.
    ///
    /// - Parameters:
    ///   - seal: encrypts the secret of an item. An error that it throws becomes `unencodable`.
    ///   - open: decrypts what `seal` returned for that item, and checks that nobody has changed it. An error that it
    ///     throws becomes `undecodable`.
    public init(
        seal: @escaping @Sendable (_ secret: RawSpan, _ item: ItemIdentity) throws -> SecretBytes,
        open: @escaping @Sendable (_ stored: RawSpan, _ item: ItemIdentity) throws -> SecretBytes
    ) {
        (encrypt, decrypt) = (seal, open)
    }

    /// Identifies this value and its copies.
    var id: ObjectIdentifier { ObjectIdentifier(identity) }
}

extension SecretSealing {
    /// Returns the bytes to store for a secret.
    func sealed(_ secret: borrowing SecretBytes, of item: ItemIdentity) throws(SecretStoreError) -> SecretBytes {
        do {
            return try secret.withBytes { secret in try encrypt(secret, item) }
        } catch {
            throw SecretStoreError(.unsealed, item: item)
        }
    }

    /// Returns the secret in stored bytes.
    func opened(_ stored: RawSpan, of item: ItemIdentity) throws(SecretStoreError) -> SecretBytes {
        do {
            return try decrypt(stored, item)
        } catch {
            throw SecretStoreError(.unopened, item: item)
        }
    }
}

extension ValueCoding {
    /// Returns the conversion to and from the bytes that a store keeps.
    func sealed(by sealing: SecretSealing?, of item: ItemIdentity) -> ValueCoding {
        guard let sealing else { return self }
        return ValueCoding(
            encode: { value in try sealing.sealed(try encode(value), of: item) },
            decode: { stored in
                let secret = try sealing.opened(stored, of: item)
                return try secret.withBytes { secret in try decode(secret) }
            })
    }
}
