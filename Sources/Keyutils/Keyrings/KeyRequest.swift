import CKeyutils

extension Key {
    /// Looks for a key in all of the thread's keyrings; with `callout`, asks the upcall handler to make it.
    ///
    /// Without `callout`, this only searches `@t`, `@p` and `@s`. With it, if the key is absent, the kernel runs
    /// `/sbin/request-key` as root. The call waits for that program, however long it takes.
    ///
    /// - Parameters:
    ///   - type: the key's type.
    ///   - description: the key's description.
    ///   - callout: information for the handler; `nil` to search only.
    ///   - destination: a keyring to link the key into as well.
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `rejected` by the handler,
    ///   `accessDenied` or `quotaExceeded`.
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

/// The operations of an upcall handler, which the kernel runs to make a requested key (`request-key.conf(5)`).
///
/// Assume authority first. Then call exactly one of instantiate, negate and reject. Authority belongs
/// to the calling thread.
public enum KeyConstruction {
    /// Assumes the authority to make `key`, and with it the right to search the requester's keyrings.
    ///
    /// - Throws: ``KeyringError`` with `notFound` if the kernel did not ask the caller to make that key.
    ///
    /// The corresponding C function is `keyctl_assume_authority(3)`.
    @available(*, noasync, message: "authority belongs to the calling thread")
    public static func assumeAuthority(over key: Key) throws(KeyringError) {
        try systemCall(.assumeAuthority) { keyctl_assume_authority(key.serial.rawValue) }
    }

    /// Gives up the authority.
    ///
    /// - Throws: ``KeyringError``; no reason for one is known.
    ///
    /// The corresponding C function is `keyctl_assume_authority(3)` with 0.
    @available(*, noasync, message: "authority belongs to the calling thread")
    public static func dropAuthority() throws(KeyringError) {
        try systemCall(.assumeAuthority) { keyctl_assume_authority(0) }
    }

    /// Completes the key with its payload, and links it into `destination` if there is one.
    ///
    /// - Throws: ``KeyringError`` with `notPermitted` without authority, `alreadyExists` or `other` (`EBUSY`) for a key
    ///   that is already complete, `invalidArgument` for the payload, or `quotaExceeded`.
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

    /// Marks the key as absent: requests for it fail with `notFound` until the timeout has passed.
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

    /// Marks the key as failed: requests for it fail with `errno` until the timeout has passed.
    ///
    /// Requesters see that error number, such as `EKEYREJECTED`, `EKEYREVOKED` or `EKEYEXPIRED`.
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

    /// The keyring into which the kernel links keys that the calling thread requests without a destination.
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

    /// Sets the default destination of keys that the calling thread requests, and returns the previous one.
    ///
    /// - Throws: ``KeyringError`` with `quotaExceeded` if the keyring has to be created and can't be.
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
