/// The type of a key, by its kernel name.
///
/// If the kernel does not have a type, adding a key of that type throws ``KeyringError/Code/unsupported``,
/// and searching for one throws ``KeyringError/Code/notFound``. Never probe for `blacklist`: the kernel
/// logs a warning for it.
///
/// The types are described in `keyrings(7)`.
public struct KeyType: RawRepresentable, Hashable, Sendable {
    /// The name as `add_key(2)` takes it.
    public let rawValue: String

    /// Creates a type from any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Arbitrary bytes, from 1 to 32,767, readable by user space.
    public static let user = KeyType(rawValue: "user")
    /// A set of links to other keys.
    public static let keyring = KeyType(rawValue: "keyring")
    /// Like `user`, but never readable; its description needs a `prefix:`.
    public static let logon = KeyType(rawValue: "logon")
    /// Up to 1 MiB - 1; the kernel keeps large payloads encrypted, outside kernel memory.
    public static let bigKey = KeyType(rawValue: "big_key")
    /// Random bytes that leave the kernel only encrypted under a master key.
    public static let encrypted = KeyType(rawValue: "encrypted")
    /// A public key or a key pair, parsed from X.509 or PKCS#8.
    public static let asymmetric = KeyType(rawValue: "asymmetric")
}

extension KeyType: ExpressibleByStringLiteral {
    /// Creates a type from a literal, for kernel modules that bring their own types.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension KeyType {
    /// Returns whether the names have the same bytes.
    public static func == (left: KeyType, right: KeyType) -> Bool { left.rawValue == right.rawValue }
}

extension KeyType: CustomStringConvertible {
    /// The kernel's name.
    public var description: String { rawValue }
}
