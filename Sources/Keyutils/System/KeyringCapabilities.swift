import CKeyutils

/// The optional features of this kernel's key facility.
///
/// The corresponding C function is `keyctl_capabilities(3)`.
public struct KeyringCapabilities: OptionSet, Hashable, Sendable {
    /// The first two bytes of the kernel's answer, the first one lowest.
    public let rawValue: UInt16

    /// Wraps flags that came from elsewhere.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The kernel can report its features: `KEYCTL_CAPS0_CAPABILITIES`.
    public static let capabilities = KeyringCapabilities(rawValue: 0x0001)
    /// ``Keyring/persistent(ofUser:linkingInto:)``: `KEYCTL_CAPS0_PERSISTENT_KEYRINGS`.
    public static let persistentKeyrings = KeyringCapabilities(rawValue: 0x0002)
    /// ``DiffieHellman``: `KEYCTL_CAPS0_DIFFIE_HELLMAN`.
    public static let diffieHellman = KeyringCapabilities(rawValue: 0x0004)
    /// Public-key operations on asymmetric keys: `KEYCTL_CAPS0_PUBLIC_KEY`.
    public static let publicKey = KeyringCapabilities(rawValue: 0x0008)
    /// ``KeyType/bigKey``: `KEYCTL_CAPS0_BIG_KEY`.
    public static let bigKey = KeyringCapabilities(rawValue: 0x0010)
    /// ``Key/invalidate()``: `KEYCTL_CAPS0_INVALIDATE`.
    public static let invalidate = KeyringCapabilities(rawValue: 0x0020)
    /// ``Keyring/restrict(type:restriction:)``: `KEYCTL_CAPS0_RESTRICT_KEYRING`.
    public static let restrictKeyring = KeyringCapabilities(rawValue: 0x0040)
    /// ``Keyring/move(_:to:exclusive:)``: `KEYCTL_CAPS0_MOVE`.
    public static let move = KeyringCapabilities(rawValue: 0x0080)
    /// Keyring names are private to a user namespace: `KEYCTL_CAPS1_NS_KEYRING_NAME`.
    public static let namespacedKeyringNames = KeyringCapabilities(rawValue: 0x0100)
    /// Keys can carry a namespace tag: `KEYCTL_CAPS1_NS_KEY_TAG`.
    public static let namespaceTags = KeyringCapabilities(rawValue: 0x0200)
    /// Watching keys with `keyctl_watch_key(3)`, which this package does not offer: `KEYCTL_CAPS1_NOTIFICATIONS`.
    public static let notifications = KeyringCapabilities(rawValue: 0x0400)

    /// Asks the kernel for its features.
    ///
    /// - Throws: ``KeyringError`` with `unsupported` before Linux 5.3, or `notPermitted` or `unavailable` if a filter
    ///   hides the key facility.
    ///
    /// The corresponding C function is `keyctl_capabilities(3)`.
    public static func query() throws(KeyringError) -> KeyringCapabilities {
        // A buffer that is too small is not an error: the kernel fills it.
        var answer: InlineArray<2, UInt8> = [0, 0]
        try systemCall(.capabilities) {
            var span = answer.mutableSpan
            return unsafe span.withUnsafeMutableBufferPointer { buffer in
                unsafe keyctl_capabilities(buffer.baseAddress, buffer.count)
            }
        }
        return KeyringCapabilities(rawValue: UInt16(answer[0]) | UInt16(answer[1]) << 8)
    }
}
