import CKeyutils

extension Key {
    /// Looks for a key in all of the thread's keyrings, and has the kernel's upcall make it where there is none.
    ///
    /// Without `callout`, nothing is made: it is a search of `@t`, `@p` and `@s`. With it, the kernel runs
    /// `/sbin/request-key` as root, which may take as long as it likes; the call waits.
    ///
    /// - Parameters:
    ///   - type: the key's type.
    ///   - description: the key's description.
    ///   - callout: what the handler is told; `nil` for a search only.
    ///   - destination: a keyring to link the key into as well.
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `rejected` by the handler, `accessDenied` or
    ///   `quotaExceeded`.
    ///
    /// The corresponding C function is `request_key(2)`.
    public static func request(
        _ type: KeyType,
        _ description: String,
        callout: String? = nil,
        linkingInto destination: Keyring? = nil
    ) throws(KeyringError) -> Key {
        let ring = destination?.serial.rawValue ?? 0
        let serial = try unsafe withKernelName(callout ?? "", in: .request) { info throws(KeyringError) in
            try unsafe systemCall(.request, type, description) { type, description in
                unsafe request_key(type, description, callout == nil ? nil : info, ring)
            }
        }
        return Key(KeySerial(rawValue: serial))
    }
}

/// What a program does that the kernel runs to make a requested key: an upcall handler of `request-key.conf(5)`.
///
/// Assume authority first; then exactly one of instantiate, negate and reject. Authority belongs to the calling thread.
public enum KeyConstruction {
    /// Takes on the authority to make `key`, and with it the requester's keyrings for searching.
    ///
    /// - Throws: ``KeyringError`` with `notFound` where the caller was not asked to make that key.
    ///
    /// The corresponding C function is `keyctl_assume_authority(3)`.
    @available(*, noasync, message: "authority belongs to the calling thread")
    public static func assumeAuthority(over key: Key) throws(KeyringError) {
        try systemCall(.assumeAuthority) { keyctl_assume_authority(key.serial.rawValue) }
    }

    /// Gives the authority back.
    ///
    /// - Throws: ``KeyringError``, which the kernel gives no reason for.
    ///
    /// The corresponding C function is `keyctl_assume_authority(3)` with 0.
    @available(*, noasync, message: "authority belongs to the calling thread")
    public static func dropAuthority() throws(KeyringError) {
        try systemCall(.assumeAuthority) { keyctl_assume_authority(0) }
    }

    /// Completes the key with its payload, and links it into `destination` if there is one.
    ///
    /// - Throws: ``KeyringError`` with `notPermitted` without authority, `alreadyExists` (errno `EBUSY` is `other`) for a
    ///   key that is complete, `invalidArgument` for the payload, or `quotaExceeded`.
    ///
    /// The corresponding C function is `keyctl_instantiate(3)`.
    @available(*, noasync, message: "authority belongs to the calling thread")
    public static func instantiate(
        _ key: Key,
        payload: RawSpan,
        linkingInto destination: Keyring? = nil
    ) throws(KeyringError) {
        try systemCall(.instantiate) {
            unsafe payload.withUnsafeBytes { bytes in
                unsafe keyctl_instantiate(
                    key.serial.rawValue, bytes.baseAddress, bytes.count, destination?.serial.rawValue ?? 0
                )
            }
        }
    }

    /// Says that there is no such key: requests for it fail with `notFound` until the timeout has passed.
    ///
    /// - Throws: ``KeyringError`` with `notPermitted` without authority.
    ///
    /// The corresponding C function is `keyctl_negate(3)`.
    @available(*, noasync, message: "authority belongs to the calling thread")
    public static func negate(
        _ key: Key,
        timeout: KeyTimeout,
        linkingInto destination: Keyring? = nil
    ) throws(KeyringError) {
        try systemCall(.negate) {
            keyctl_negate(key.serial.rawValue, timeout.seconds, destination?.serial.rawValue ?? 0)
        }
    }

    /// Says why there is no such key: requests for it fail with `errno` until the timeout has passed.
    ///
    /// The number is what requesters see, such as `EKEYREJECTED`, `EKEYREVOKED` or `EKEYEXPIRED`.
    ///
    /// - Throws: ``KeyringError`` with `notPermitted` without authority, or `invalidArgument` for that number.
    ///
    /// The corresponding C function is `keyctl_reject(3)`.
    @available(*, noasync, message: "authority belongs to the calling thread")
    public static func reject(
        _ key: Key,
        errno: CInt,
        timeout: KeyTimeout,
        linkingInto destination: Keyring? = nil
    ) throws(KeyringError) {
        try systemCall(.reject) {
            keyctl_reject(
                key.serial.rawValue, timeout.seconds, UInt32(bitPattern: errno), destination?.serial.rawValue ?? 0
            )
        }
    }

    /// Where the kernel links keys that the calling thread requests without naming a destination.
    @nonexhaustive
    public enum DefaultDestination: CInt, Sendable, CaseIterable {
        /// The first of thread, process and session keyring that exists: `KEY_REQKEY_DEFL_DEFAULT`.
        case standard = 0
        /// The thread keyring: `KEY_REQKEY_DEFL_THREAD_KEYRING`.
        case thread = 1
        /// The process keyring: `KEY_REQKEY_DEFL_PROCESS_KEYRING`.
        case process = 2
        /// The session keyring: `KEY_REQKEY_DEFL_SESSION_KEYRING`.
        case session = 3
        /// The user keyring: `KEY_REQKEY_DEFL_USER_KEYRING`.
        case user = 4
        /// The user-session keyring: `KEY_REQKEY_DEFL_USER_SESSION_KEYRING`.
        case userSession = 5
    }

    /// Sets where requested keys are linked by default in the calling thread, and returns what it was.
    ///
    /// - Throws: ``KeyringError`` with `quotaExceeded` where the keyring has to be created and can't be.
    ///
    /// The corresponding C function is `keyctl_set_reqkey_keyring(3)`.
    @available(*, noasync, message: "the setting belongs to the calling thread")
    @discardableResult
    public static func setDefaultDestination(
        _ destination: DefaultDestination
    ) throws(KeyringError) -> DefaultDestination {
        let previous = try systemCall(.setRequestKeyring) { keyctl_set_reqkey_keyring(destination.rawValue) }
        return DefaultDestination(rawValue: CInt(truncatingIfNeeded: previous)) ?? .standard
    }
}
