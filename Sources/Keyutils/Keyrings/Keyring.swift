import CKeyutils
import CLinux

/// A keyring: a key whose payload is links to other keys.
///
/// A value, like `Key`.
public struct Keyring: Hashable, Sendable {
    /// The kernel's number for the keyring, or one of the special ids.
    public let serial: KeySerial

    /// The keyring with this serial, which may or may not exist.
    public init(_ serial: KeySerial) {
        self.serial = serial
    }

    /// The calling thread's own keyring: the place to stage a key out of everybody's sight.
    public static let thread = Keyring(.threadKeyring)

    /// Finds out which keyring a special id stands for **in the calling thread**, so that other threads can use it too.
    ///
    /// Without `create`, a thread without a session keyring gets the user-session keyring `_uid_ses.N` for
    /// `KeySerial.sessionKeyring`, and keeps it: resolve after dropping privileges. With `create` it gets a new,
    /// anonymous session keyring that no other thread shares, which is hardly ever wanted.
    ///
    /// - Throws: ``KeyringError`` with `notFound` where there is none and `create` is false, `revoked` for a session that
    ///   has ended, `quotaExceeded`, or `notPermitted` or `unavailable` where a filter hides the key facility.
    ///
    /// The corresponding C function is `keyctl_get_keyring_ID(3)`.
    public static func resolve(_ special: KeySerial, create: Bool = false) throws(KeyringError) -> Keyring {
        let serial = try systemCall(.resolve) { keyctl_get_keyring_ID(special.rawValue, create ? 1 : 0) }
        return Keyring(KeySerial(rawValue: serial))
    }

    /// The keyring that outlives the user's logins, linked into `destination` so that the caller possesses it.
    ///
    /// It expires some days after the last such call (`/proc/sys/kernel/keys/persistent_keyring_expiry`, in seconds), and
    /// each call starts that time anew. `nil` means the caller's own user; another one needs `CAP_SETUID`.
    ///
    /// - Throws: ``KeyringError`` with `unsupported`, `notPermitted`, `accessDenied` or `quotaExceeded`.
    ///
    /// The corresponding C function is `keyctl_get_persistent(3)`.
    public static func persistent(
        ofUser userID: UInt32? = nil,
        linkingInto destination: Keyring
    ) throws(KeyringError) -> Keyring {
        let serial = try systemCall(.getPersistent) {
            keyctl_get_persistent(userID ?? .max, destination.serial.rawValue)
        }
        return Keyring(KeySerial(rawValue: Int32(truncatingIfNeeded: serial)))
    }

    /// Adds a key to the keyring.
    ///
    /// A key of that type and name that is already there is **updated in place**, keeping its serial and permissions
    /// and losing its timeout; a keyring is displaced with its contents.
    ///
    /// Needs *write* permission on the keyring. A new key grants its possessor everything and its user *view*.
    /// A `user` payload has 1 to 32,767 bytes, a description 1 to 4,095 bytes without NUL.
    ///
    /// - Throws: ``KeyringError`` with `quotaExceeded`, `accessDenied`, `notFound`, `expired` or `revoked` for the
    ///   keyring, `invalidArgument` for payload or description, or `unsupported` for an unknown type.
    ///
    /// The corresponding C function is `add_key(2)`.
    @discardableResult
    public func add(_ type: KeyType, _ description: String, payload: RawSpan) throws(KeyringError) -> Key {
        let added = try linking { () throws(KeyringError) in
            try unsafe systemCall(.add, type, description) { type, description in
                unsafe payload.withUnsafeBytes { bytes in
                    unsafe add_key(type, description, bytes.baseAddress, bytes.count, serial.rawValue)
                }
            }
        }
        return Key(KeySerial(rawValue: added))
    }

    /// Adds a new, empty keyring to this one.
    ///
    /// A keyring of that name that is already there is displaced with its contents.
    ///
    /// Needs *write* permission on the keyring.
    ///
    /// - Throws: ``KeyringError`` as ``add(_:_:payload:)``.
    ///
    /// The corresponding C function is `add_key(2)` with the type `keyring`.
    public func addKeyring(_ description: String) throws(KeyringError) -> Keyring {
        let none = InlineArray<0, UInt8>(repeating: 0)
        return Keyring(try unsafe add(.keyring, description, payload: none.span.bytes).serial)
    }

    /// Looks for a key by type and name, in this keyring first and then in the keyrings that it links.
    ///
    /// Needs *search* permission on the keyrings and on the key. With `destination`, the key is also linked there.
    /// A key that is there but dead is an error, not an absence.
    ///
    /// - Throws: ``KeyringError`` with `notFound` where there is none, `expired` or `revoked` where there was one,
    ///   `accessDenied`, or what linking throws.
    ///
    /// The corresponding C function is `keyctl_search(3)`.
    public func search(
        _ type: KeyType,
        _ description: String,
        linkingInto destination: Keyring? = nil
    ) throws(KeyringError) -> Key {
        let found = try unsafe systemCall(.search, type, description) { type, description in
            unsafe direct_keyctl_search(serial.rawValue, type, description, destination?.serial.rawValue ?? 0)
        }
        return Key(KeySerial(rawValue: Int32(truncatingIfNeeded: found)))
    }

    /// Looks for a keyring by name, in this keyring first and then in the keyrings that it links.
    ///
    /// Needs *search* permission on the keyrings, the one that is looked for among them.
    ///
    /// - Throws: ``KeyringError`` as ``search(_:_:linkingInto:)``.
    ///
    /// The corresponding C function is `keyctl_search(3)` with the type `keyring`.
    public func search(
        keyring description: String,
        linkingInto destination: Keyring? = nil
    ) throws(KeyringError) -> Keyring {
        Keyring(try search(.keyring, description, linkingInto: destination).serial)
    }
}

extension Keyring: CustomStringConvertible {
    /// The serial in decimal.
    public var description: String { serial.description }
}
