import CKeyutils
import CLinux

extension Keyring {
    /// Links a key into this keyring, displacing any key of the same type and name.
    ///
    /// The kernel removes the link to the displaced key in the same step. A key that no keyring links is destroyed.
    ///
    /// Needs *write* permission on the keyring and *link* permission on the key.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, `quotaExceeded`,
    ///   `keyringFull`, `keyringCycle`, or `notPermitted` if the keyring is restricted.
    ///
    /// The corresponding C function is `keyctl_link(3)`.
    public func link(_ key: Key) throws(KeyringError) {
        try linking { () throws(KeyringError) in
            _ = try systemCall(.link) { keyctl_link(key.serial.rawValue, serial.rawValue) }
        }
    }

    /// Removes the link to the key that **now** has the type and name of `key` in this keyring.
    ///
    /// Needs *write* permission on the keyring. The key needs no permission, and can even be dead. The kernel matches
    /// type and name, not the serial: if another key has displaced `key`, that other key is unlinked. To remove exactly
    /// one key, use ``Key/invalidate()``.
    ///
    /// - Throws: ``KeyringError`` with `notLinked` if the keyring holds no key of that name, `notFound` if the serial
    ///   no longer exists, or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_unlink(3)`.
    public func unlink(_ key: Key) throws(KeyringError) {
        try systemCall(.unlink) { keyctl_unlink(key.serial.rawValue, serial.rawValue) }
    }

    /// Moves a key to another keyring in one step, displacing any key of the same type and name there.
    ///
    /// Needs *write* permission on both keyrings and *link* permission on the key. At every moment, exactly one of the
    /// keyrings holds the key. A move from a keyring to itself does nothing.
    ///
    /// - Parameters:
    ///   - key: the key to move.
    ///   - destination: the keyring to move it to.
    ///   - exclusive: whether to throw `alreadyExists` instead of displacing a key, **even a dead one**.
    /// - Throws: ``KeyringError`` with `alreadyExists`, `notFound`, `notLinked`, `expired`, `revoked`, `accessDenied`,
    ///   `quotaExceeded`, `keyringFull`, `keyringCycle` or `notPermitted`; `unsupported` before Linux 5.3.
    ///
    /// The corresponding C function is `keyctl_move(3)`.
    public func move(_ key: Key, to destination: Keyring, exclusive: Bool = false) throws(KeyringError) {
        let flags = UInt32(exclusive ? KEYCTL_MOVE_EXCL : 0)
        try destination.linking { () throws(KeyringError) in
            _ = try systemCall(.move) {
                direct_keyctl_move(key.serial.rawValue, serial.rawValue, destination.serial.rawValue, flags)
            }
        }
    }

    /// Removes all links in one step.
    ///
    /// Needs *write* permission on the keyring.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied` or `notKeyring`.
    ///
    /// The corresponding C function is `keyctl_clear(3)`.
    public func clear() throws(KeyringError) {
        try systemCall(.clear) { direct_keyctl_clear(serial.rawValue) }
    }

    /// Returns the serials of all keys that this keyring itself links, including dead ones, in no particular order.
    ///
    /// Needs *read* permission, or *search* permission and possession. If the key is not a keyring, there is no error:
    /// its payload is interpreted as serials.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_read(3)` on a keyring.
    public func members() throws(KeyringError) -> [KeySerial] {
        let width = MemoryLayout<Int32>.size
        var capacity = 256
        while true {
            var bytes = 0
            // If the buffer is too small, the kernel fills part of it or nothing, and returns the full size.
            let serials = try unsafe [KeySerial](typedUnsafeUninitializedCapacity: capacity) {
                buffer throws(KeyringError) in
                bytes = try systemCall(.read) {
                    let raw = UnsafeMutableRawBufferPointer(buffer)
                    return unsafe direct_keyctl_read(
                        serial.rawValue, raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count
                    )
                }
                return bytes <= capacity * width ? bytes / width : 0
            }
            if bytes <= capacity * width { return serials }
            // Other processes can be adding keys at the same time.
            capacity = bytes / width + 64
        }
    }

    /// Returns whether this keyring itself links exactly that key.
    ///
    /// A search also finds keys in nested keyrings; this method does not.
    ///
    /// Needs *read* permission, or *search* permission and possession.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_read(3)` on a keyring.
    public func links(_ key: Key) throws(KeyringError) -> Bool {
        // Swift allocates up to 1,024 bytes on the stack, and few keyrings have more than 256 members.
        var failure: KeyringError?
        var isComplete = true
        let isFound = unsafe withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 4) { buffer in
            do throws(KeyringError) {
                let length = try systemCall(.read) {
                    unsafe direct_keyctl_read(
                        serial.rawValue, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count
                    )
                }
                isComplete = length <= buffer.count
                for offset in stride(from: 0, to: isComplete ? length : 0, by: MemoryLayout<Int32>.size)
                where unsafe buffer.load(fromByteOffset: offset, as: Int32.self) == key.serial.rawValue {
                    return true
                }
            } catch {
                failure = error
            }
            return false
        }
        if let failure { throw failure }
        return isComplete ? isFound : try members().contains(key.serial)
    }

    /// Makes this keyring refuse new links permanently: all of them, or those that `restriction` does not admit.
    ///
    /// Needs *setattr* permission.
    ///
    /// - Parameters:
    ///   - type: the key type that defines the rule, such as `asymmetric`; `nil` to admit no more keys at all.
    ///   - restriction: the rule in that type's syntax, such as `key_or_keyring:0:chain`.
    /// - Throws: ``KeyringError`` with `alreadyExists` if the keyring is already restricted, `accessDenied`,
    ///   `invalidArgument` for a `type` without a `restriction`, `notLinked` (`ENOENT`) for a type that does not
    ///   support rules, or `notFound` for an unknown type.
    ///
    /// The corresponding C function is `keyctl_restrict_keyring(3)`.
    public func restrict(type: KeyType? = nil, restriction: String? = nil) throws(KeyringError) {
        guard let type else {
            try systemCall(.restrict) { keyctl_restrict_keyring(serial.rawValue, nil, nil) }
            return
        }
        try unsafe withKernelName(type.rawValue, in: .restrict) { type throws(KeyringError) in
            try unsafe withKernelName(restriction ?? "", in: .restrict) { rule throws(KeyringError) in
                _ = try systemCall(.restrict) {
                    unsafe keyctl_restrict_keyring(serial.rawValue, type, restriction == nil ? nil : rule)
                }
            }
        }
    }
}
