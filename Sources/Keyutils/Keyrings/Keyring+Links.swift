import CKeyutils
import CLinux

extension Keyring {
    /// Links a key into this keyring, displacing one of the same type and name.
    ///
    /// Needs *write* permission on the keyring and *link* permission on the key.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, `quotaExceeded`, `keyringFull`,
    ///   `keyringCycle`, or `notPermitted` where the keyring is restricted.
    ///
    /// The corresponding C function is `keyctl_link(3)`.
    public func link(_ key: Key) throws(KeyringError) {
        try linking { () throws(KeyringError) in
            _ = try systemCall(.link) { keyctl_link(key.serial.rawValue, serial.rawValue) }
        }
    }

    /// Removes the link to whatever key of the same type and name as `key` this keyring holds **now**.
    ///
    /// Needs *write* permission on the keyring and nothing on the key, which may be dead. The kernel goes by type and name:
    /// if `key` was displaced meanwhile, its successor goes. To remove exactly one key, use ``Key/invalidate()``.
    ///
    /// - Throws: ``KeyringError`` with `notLinked` where the keyring holds none of that name, `notFound` for a serial that
    ///   no longer exists, or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_unlink(3)`.
    public func unlink(_ key: Key) throws(KeyringError) {
        try systemCall(.unlink) { keyctl_unlink(key.serial.rawValue, serial.rawValue) }
    }

    /// Moves a key from this keyring to another in one step, displacing a key of the same type and name there.
    ///
    /// Needs *write* permission on both keyrings and *link* permission on the key. Nobody sees the key in both or in none.
    /// A move from a keyring to itself does nothing.
    ///
    /// - Parameters:
    ///   - key: which key.
    ///   - destination: where it goes.
    ///   - exclusive: refuse to displace: throw `alreadyExists` if the name is taken, **even by a dead key**.
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

    /// Removes all links at once.
    ///
    /// Needs *write* permission on the keyring.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied` or `notKeyring`.
    ///
    /// The corresponding C function is `keyctl_clear(3)`.
    public func clear() throws(KeyringError) {
        try systemCall(.clear) { direct_keyctl_clear(serial.rawValue) }
    }

    /// The serials of all keys that this keyring links itself, the dead ones among them, in no particular order.
    ///
    /// Needs *read* permission, or *search* permission and possession. The kernel does not tell a keyring from a key of
    /// another type here: of such a key, the payload is taken for serials.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_read(3)` on a keyring.
    public func members() throws(KeyringError) -> [KeySerial] {
        let width = MemoryLayout<Int32>.size
        var capacity = 256
        while true {
            var bytes = 0
            // On too little room the kernel fills none or part of it, and still tells the whole size.
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
            // Others may be adding at the same time.
            capacity = bytes / width + 64
        }
    }

    /// Whether this keyring itself links that very key.
    ///
    /// Needs *read* permission, or *search* permission and possession. What a search finds may be in a nested keyring.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked` or `accessDenied`.
    ///
    /// The corresponding C function is `keyctl_read(3)` on a keyring.
    public func links(_ key: Key) throws(KeyringError) -> Bool {
        try look(for: key).isLinked
    }

    /// Whether this keyring itself links that very key, and how many it links.
    package func look(for key: Key) throws(KeyringError) -> (isLinked: Bool, size: Int) {
        // 1,024 bytes are what Swift keeps on the stack; few keyrings have more than 256 members.
        var failure: KeyringError?
        var (isComplete, size) = (true, 0)
        let isFound = unsafe withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 4) { buffer in
            do throws(KeyringError) {
                let length = try systemCall(.read) {
                    unsafe direct_keyctl_read(
                        serial.rawValue, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count
                    )
                }
                isComplete = length <= buffer.count
                size = length / MemoryLayout<Int32>.size
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
        return (isComplete ? isFound : try members().contains(key.serial), size)
    }

    /// Keeps keys out of this keyring from now on, for good: all keys, or those that `restriction` does not admit.
    ///
    /// Needs *setattr* permission.
    ///
    /// - Parameters:
    ///   - type: the key type whose rule applies, such as `asymmetric`; `nil` admits no further key at all.
    ///   - restriction: the rule in that type's own words, such as `key_or_keyring:0:chain`.
    /// - Throws: ``KeyringError`` with `alreadyExists` where it is restricted already, `accessDenied`, `invalidArgument`
    ///   for a type without a rule, `notLinked` (`ENOENT`) for a type that has no rules, or `notFound` for no such type.
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
