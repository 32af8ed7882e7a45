import CKeyutils
import CLinux

/// A keyring: a key whose payload is links to other keys.
///
/// This is a value, like `Key`: creating one neither asks the kernel nor keeps the keyring alive.
public struct Keyring: Hashable, Sendable {
    /// The kernel's number for the keyring, or one of the special ids (``KeySerial``).
    public let serial: KeySerial

    /// Creates a value for the keyring with this serial, which doesn't have to exist.
    public init(_ serial: KeySerial) {
        self.serial = serial
    }

    /// The calling thread's own keyring, where a key can be staged before others can see it.
    public static let thread = Keyring(.threadKeyring)

    /// Resolves a special id to the keyring that it stands for **in the calling thread**.
    ///
    /// Other threads can use the result too.
    ///
    /// If the thread has no session keyring, the result for `KeySerial.sessionKeyring` depends on `create`:
    ///
    /// - Without `create`, it is the user-session keyring `_uid_ses.N`. The thread's credentials stay as they are: the
    ///   call asks the kernel in a short-lived thread, because the kernel gives this keyring to the thread that asks.
    /// - With `create`, it is a new, anonymous session keyring that no other thread shares: hardly ever what you want.
    ///
    /// - Throws: ``KeyringError`` with `notFound` if the keyring doesn't exist and `create` is false,
    ///   `revoked` for a session that has ended, `quotaExceeded`, `notPermitted` or `unavailable` if a seccomp filter
    ///   refuses the system calls for keys, or `other` with `EAGAIN` if no thread can be started.
    ///
    /// The corresponding C function is `keyctl_get_keyring_ID(3)`.
    public static func resolve(_ special: KeySerial, create: Bool = false) throws(KeyringError) -> Keyring {
        if special == .sessionKeyring, !create { return try SessionLookup.run() }
        let serial = try systemCall(.resolve) { keyctl_get_keyring_ID(special.rawValue, create ? 1 : 0) }
        return Keyring(KeySerial(rawValue: serial))
    }

    /// Returns a user's persistent keyring, linked into `destination` so that the caller possesses it.
    ///
    /// A persistent keyring outlives the user's logins. It expires a few days after the last call of this function
    /// (`/proc/sys/kernel/keys/persistent_keyring_expiry`, in seconds). Each call restarts that time.
    ///
    /// - Parameters:
    ///   - userID: the user; `nil` for the caller's own. Another user needs `CAP_SETUID`.
    ///   - destination: the keyring to link it into.
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

    /// Adds a key to the keyring, or updates an existing one.
    ///
    /// If the keyring already holds a key of that type and name, the kernel **updates it in place**: the key keeps its
    /// serial and permissions and loses its timeout. An existing keyring is not updated: a new, empty one displaces it
    /// and everything in it.
    ///
    /// Needs *write* permission on the keyring. A new key grants all rights to its possessor and *view* to its user. A
    /// `user` payload has 1 to 32,767 bytes, and a description 1 to 4,095 bytes without NUL.
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

    /// Adds a new, empty keyring to this one, displacing any keyring of that name with its contents.
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

    /// Looks for a key by type and name, first in this keyring and then in the keyrings that it links.
    ///
    /// Needs *search* permission on the keyrings and on the key. With `destination`, the kernel also links the key
    /// there. If the key of that name is dead (expired or revoked), that is an error; the key does not count as absent.
    ///
    /// - Throws: ``KeyringError`` with `notFound` if no key has that type and name, `expired` or `revoked` if the key
    ///   is dead, `accessDenied`, or the errors of `link(_:)`.
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

    /// Looks for a keyring by name, first in this keyring and then in the keyrings that it links.
    ///
    /// Needs *search* permission on the keyrings, including the one to find.
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

extension Key {
    /// Creates a value for a keyring, which is also a key.
    public init(_ keyring: Keyring) {
        self.init(keyring.serial)
    }
}

extension Keyring: CustomStringConvertible {
    /// The serial in decimal.
    public var description: String { serial.description }
}
