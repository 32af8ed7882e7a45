import CKeyutils
import CLinux

/// A key, identified by its serial.
///
/// This is a value: creating one neither asks the kernel nor keeps the key alive.
///
/// For every operation, the kernel also searches the calling thread's keyrings to find out whether the thread
/// *possesses* the key. So an operation's cost grows with the number of keyrings in the session.
public struct Key: Hashable, Sendable {
    /// The kernel's number for the key.
    public let serial: KeySerial

    /// Creates a value for the key with this serial, which doesn't have to exist.
    public init(_ serial: KeySerial) {
        self.serial = serial
    }

    /// Returns the kernel's description of the key.
    ///
    /// Needs *view* permission.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_describe(3)`.
    public func describe() throws(KeyringError) -> KeyDescription {
        // Not an array, whose type Swift's runtime would build at each start of a command. Longer texts are rare.
        var text = InlineArray<1_024, UInt8>(repeating: 0)
        var bytes = text.mutableSpan
        let length = try unsafe bytes.withUnsafeMutableBytes { bytes throws(KeyringError) in
            try unsafe describe(into: bytes)
        }
        if length <= text.count {
            return try unsafe KeyDescription(parsing: text.span.bytes.extracting(first: max(0, length - 1)))
        }
        var longText = [UInt8](repeating: 0, count: length)
        let longLength = try describe(into: &longText)
        return try unsafe KeyDescription(parsing: longText.span.bytes.extracting(first: longLength))
    }

    /// Reads the text that ``DescriptionFields`` parses into `buffer`, starting at `start`.
    ///
    /// The buffer grows if necessary.
    ///
    /// Needs *view* permission.
    ///
    /// - Returns: the text's length, without the NUL.
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    package func describe(into buffer: inout [UInt8], at start: Int = 0) throws(KeyringError) -> Int {
        while true {
            var bytes = buffer.mutableSpan
            let length = try unsafe bytes.withUnsafeMutableBytes { bytes throws(KeyringError) in
                try unsafe describe(into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
            }
            if length <= buffer.count - start { return max(0, length - 1) }
            buffer += [UInt8](repeating: 0, count: buffer.count + length)
        }
    }

    /// Returns the text's length, with the NUL; if it is greater than the buffer, the text isn't there.
    private func describe(into buffer: UnsafeMutableRawBufferPointer) throws(KeyringError) -> Int {
        try systemCall(.describe) {
            let text = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            return unsafe direct_keyctl_describe(serial.rawValue, text, buffer.count)
        }
    }

    /// Sets when the key expires, counted from now.
    ///
    /// This affects exactly this key, never a successor of the same name.
    ///
    /// Needs *setattr* permission.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_set_timeout(3)`.
    public func setTimeout(_ timeout: KeyTimeout) throws(KeyringError) {
        try systemCall(.setTimeout) { direct_keyctl_set_timeout(serial.rawValue, timeout.seconds) }
    }

    /// Removes the timeout, so that the key lives for as long as a keyring links it.
    ///
    /// Needs *setattr* permission.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_set_timeout(3)` with 0.
    public func removeTimeout() throws(KeyringError) {
        try systemCall(.setTimeout) { keyctl_set_timeout(serial.rawValue, 0) }
    }

    /// Sets the key's permissions.
    ///
    /// Needs *setattr* permission. The caller must own the key or have `CAP_SYS_ADMIN`.
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
    /// `nil` leaves the user or the group unchanged.
    ///
    /// Needs *setattr* permission. Changing the user needs `CAP_SYS_ADMIN`. To set a group, the caller
    /// must be a member of it.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, or `quotaExceeded` if the
    ///   new owner has no room.
    ///
    /// The corresponding C function is `keyctl_chown(3)`.
    public func changeOwner(userID: UInt32? = nil, groupID: UInt32? = nil) throws(KeyringError) {
        try systemCall(.changeOwner) { keyctl_chown(serial.rawValue, userID ?? .max, groupID ?? .max) }
    }

    /// Revokes the key: the kernel drops its payload, and every operation on it fails with `revoked` from now on.
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
    /// Needs *search* permission. The kernel collects the key up to 20 ms later. Until then, searches still find it and
    /// fail with `revoked`. The kernel refuses to invalidate an expired key: use ``Keyring/unlink(_:)`` instead.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_invalidate(3)`.
    public func invalidate() throws(KeyringError) {
        try systemCall(.invalidate) { keyctl_invalidate(serial.rawValue) }
    }

    /// Returns the label that the kernel's security module gave the key; empty without such a module.
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
