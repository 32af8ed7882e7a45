import CKeyutils

/// The kernel's number for a key or a keyring.
///
/// A positive serial identifies exactly one key. The negative ones are the *special ids*: their meaning depends
/// on the **calling thread's** credentials. Resolve a special id with ``Keyring/resolve(_:create:)`` before
/// several threads share it.
///
/// The corresponding C type is `key_serial_t`; the special ids are described in `keyctl(2)`.
public struct KeySerial: RawRepresentable, Hashable, Sendable {
    /// The serial as the C functions take it.
    public let rawValue: Int32

    /// Wraps a serial that came from elsewhere, without checking it.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Whether this is one of the special ids and not the serial of one key.
    public var isSpecial: Bool { rawValue < 0 }
}

extension KeySerial {
    /// The calling thread's own keyring, dropped by `fork`, `exec` and the thread's end: `KEY_SPEC_THREAD_KEYRING`.
    public static let threadKeyring = KeySerial(rawValue: KEY_SPEC_THREAD_KEYRING)
    /// The process's keyring, shared with threads started after it existed: `KEY_SPEC_PROCESS_KEYRING`.
    public static let processKeyring = KeySerial(rawValue: KEY_SPEC_PROCESS_KEYRING)
    /// The session keyring of the calling thread: `KEY_SPEC_SESSION_KEYRING`.
    ///
    /// If the thread doesn't have one, each call with this id gives it the user's `_uid_ses.N` or a new keyring. Only
    /// ``Keyring/resolve(_:create:)`` without `create` leaves the thread as it is.
    public static let sessionKeyring = KeySerial(rawValue: KEY_SPEC_SESSION_KEYRING)
    /// The keyring of the real user id: `KEY_SPEC_USER_KEYRING`.
    public static let userKeyring = KeySerial(rawValue: KEY_SPEC_USER_KEYRING)
    /// The user's default session keyring, for threads without a session keyring: `KEY_SPEC_USER_SESSION_KEYRING`.
    public static let userSessionKeyring = KeySerial(rawValue: KEY_SPEC_USER_SESSION_KEYRING)
    /// The keyring of the group, which no kernel implements: `KEY_SPEC_GROUP_KEYRING`.
    public static let groupKeyring = KeySerial(rawValue: KEY_SPEC_GROUP_KEYRING)
    /// The authorisation key that an upcall handler has assumed: `KEY_SPEC_REQKEY_AUTH_KEY`.
    public static let requestKeyAuthorization = KeySerial(rawValue: KEY_SPEC_REQKEY_AUTH_KEY)
}

extension KeySerial: CustomStringConvertible {
    /// The serial in decimal, as `keyctl` prints it.
    public var description: String { String(rawValue) }
}
