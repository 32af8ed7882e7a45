import CKeyutils
import CLinux

/// One key, by its serial.
///
/// A value: making one neither asks the kernel nor keeps the key alive.
///
/// Every operation also looks for the key in the calling thread's keyrings to find out whether it is *possessed*, so its
/// cost grows with the number of keyrings in the session.
public struct Key: Hashable, Sendable {
    /// The kernel's number for the key.
    public let serial: KeySerial

    /// The key with this serial, which may or may not exist.
    public init(_ serial: KeySerial) {
        self.serial = serial
    }

    /// The key that a keyring is.
    public init(_ keyring: Keyring) {
        self.serial = keyring.serial
    }

    /// Asks the kernel what the key is.
    ///
    /// Needs *view* permission.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_describe(3)`.
    public func describe() throws(KeyringError) -> KeyDescription {
        // 1,024 bytes are what Swift keeps on the stack; longer descriptions are rare.
        var capacity = 1_024
        while true {
            let outcome = unsafe withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) {
                buffer -> Result<(description: KeyDescription?, length: Int), KeyringError> in
                unsafe describe(into: buffer)
            }
            let (description, length) = try outcome.get()
            if let description { return description }
            capacity = length
        }
    }

    private func describe(
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Result<(description: KeyDescription?, length: Int), KeyringError> {
        do throws(KeyringError) {
            let length = try systemCall(.describe) {
                unsafe direct_keyctl_describe(
                    serial.rawValue, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count
                )
            }
            guard length <= buffer.count else { return .success((nil, length)) }
            // The length includes the terminating NUL.
            let text = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<max(0, length - 1)])
            return .success((try KeyDescription(parsing: unsafe text.bytes), length))
        } catch {
            return .failure(error)
        }
    }

    /// Reads the text that ``DescriptionFields`` parses into `buffer`, which grows if it has to, from `start` on; its length,
    /// without the NUL.
    ///
    /// Needs *view* permission.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    package func describe(into buffer: inout [UInt8], at start: Int = 0) throws(KeyringError) -> Int {
        while true {
            let room = buffer.count - start
            let length = try systemCall(.describe) {
                unsafe buffer.withUnsafeMutableBytes { bytes in
                    let text = unsafe bytes.baseAddress.map { unsafe ($0 + start).assumingMemoryBound(to: CChar.self) }
                    return unsafe direct_keyctl_describe(serial.rawValue, text, room)
                }
            }
            if length <= room { return max(0, length - 1) }
            buffer += [UInt8](repeating: 0, count: buffer.count + length)
        }
    }

    /// Sets when the key expires, counted from now.
    ///
    /// This is exactly this key, never a successor of the same name.
    ///
    /// Needs *setattr* permission.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_set_timeout(3)`.
    public func setTimeout(_ timeout: KeyTimeout) throws(KeyringError) {
        try systemCall(.setTimeout) { direct_keyctl_set_timeout(serial.rawValue, timeout.seconds) }
    }

    /// Takes the timeout away, so that the key lives for as long as something links it.
    ///
    /// Needs *setattr* permission.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_set_timeout(3)` with 0.
    public func removeTimeout() throws(KeyringError) {
        try systemCall(.setTimeout) { keyctl_set_timeout(serial.rawValue, 0) }
    }

    /// Sets who may do what with the key.
    ///
    /// Needs *setattr* permission, and to be the key's owner or to hold `CAP_SYS_ADMIN`.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, or `invalidArgument` for bits
    ///   that the kernel does not know.
    ///
    /// The corresponding C function is `keyctl_setperm(3)`.
    public func setPermissions(_ permissions: KeyPermissions) throws(KeyringError) {
        try systemCall(.setPermissions) { direct_keyctl_setperm(serial.rawValue, permissions.rawValue) }
    }

    /// Gives the key to another user or group.
    ///
    /// `nil` leaves that one as it is.
    ///
    /// Needs *setattr* permission; another user needs `CAP_SYS_ADMIN`, and a group the caller's membership of it.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, or `quotaExceeded` where the
    ///   new owner has no room.
    ///
    /// The corresponding C function is `keyctl_chown(3)`.
    public func changeOwner(userID: UInt32? = nil, groupID: UInt32? = nil) throws(KeyringError) {
        try systemCall(.changeOwner) { keyctl_chown(serial.rawValue, userID ?? .max, groupID ?? .max) }
    }

    /// Revokes the key: its payload is dropped, and everything on it fails with `revoked` from now on.
    ///
    /// Needs *write* or *setattr* permission. The name stays taken until the key is unlinked.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_revoke(3)`.
    public func revoke() throws(KeyringError) {
        try systemCall(.revoke) { keyctl_revoke(serial.rawValue) }
    }

    /// Removes exactly this key from every keyring that links it.
    ///
    /// Needs *search* permission. The kernel collects it a moment later (up to 20 ms): until then its name is still found,
    /// as `revoked`. An expired key is refused; unlink that one.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_invalidate(3)`.
    public func invalidate() throws(KeyringError) {
        try systemCall(.invalidate) { keyctl_invalidate(serial.rawValue) }
    }

    /// The label that the kernel's security module gave the key; empty where there is none.
    ///
    /// Needs *view* permission.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_get_security(3)`.
    public func securityLabel() throws(KeyringError) -> String {
        let label = try unsafe SecretBytes.reading(.getSecurity, expecting: 256) { buffer in
            unsafe keyctl_get_security(serial.rawValue, buffer.baseAddress, buffer.count)
        }
        return label.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { text in unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self) }
        }
    }
}

extension Key: CustomStringConvertible {
    /// The serial in decimal.
    public var description: String { serial.description }
}
