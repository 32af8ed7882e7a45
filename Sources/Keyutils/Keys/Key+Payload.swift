import CKeyutils
import CLinux
import Synchronization

extension Key {
    /// The most bytes that a `user` or `logon` key can hold.
    public static let largestUserPayload = 32_767
    /// The most bytes that a `big_key` can hold.
    public static let largestBigPayload = 1_048_575

    /// Lends the payload to `body` without a copy that outlives the call.
    ///
    /// Needs *read* permission, or *search* permission and possession. One system call for up to 4,096 bytes, and for up to
    /// 32,768 where the last payload had more than 4,096 too; a longer payload, or one that grows meanwhile, is asked for
    /// again with room enough. The memory is wiped afterwards.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, or `unsupported` for a type that
    ///   can't be read, such as `logon`.
    ///
    /// The corresponding C function is `keyctl_read(3)`.
    @inlinable
    public func withPayload<Result: ~Copyable>(_ body: (RawSpan) -> Result) throws(KeyringError) -> Result {
        var result: Result?
        try lendPayload { bytes in result = body(bytes) }
        guard let result else { preconditionFailure("the payload was not lent") }
        return result
    }

    /// What ``withPayload(_:)`` does, without generics, so that no caller pays for those at run time.
    @usableFromInline
    package func lendPayload(_ body: (RawSpan) -> Void) throws(KeyringError) {
        let expectsLarge = Self.expectsLarge.load(ordering: .relaxed)
        var room = expectsLarge ? SecretArena.largestClass : SecretArena.pageClass
        while true {
            let length = try lendPayload(offering: room, body)
            let isLarge = length > SecretArena.pageClass
            if isLarge != expectsLarge { Self.expectsLarge.store(isLarge, ordering: .relaxed) }
            if length <= room { return }
            guard room < SecretArena.largestClass, length <= SecretArena.largestClass else {
                return try readLarge(expecting: length).withBytes(body)
            }
            room = SecretArena.largestClass
        }
    }

    /// Whether the last payload was larger than a page; only a matter of speed.
    ///
    /// Into a buffer of up to a page the kernel reads at once; for a larger one it asks for the length first.
    private static let expectsLarge = Atomic(false)

    /// Lends the payload if it is no longer than that; its length.
    @inline(__always)
    private func lendPayload(offering room: Int, _ body: (RawSpan) -> Void) throws(KeyringError) -> Int {
        let slot = SecretArena.allocate(room)
        var dirty = 0
        defer { SecretArena.deallocate(slot, wiping: dirty) }
        let length = try systemCall(.read) {
            unsafe direct_keyctl_read(serial.rawValue, slot.start.assumingMemoryBound(to: CChar.self), slot.capacity)
        }
        // Old kernels fill a buffer that is too small.
        dirty = min(length, slot.capacity)
        if length <= slot.capacity { body(unsafe UnsafeRawBufferPointer(start: slot.start, count: length).bytes) }
        return length
    }

    /// The payload, copied into memory of its own.
    ///
    /// Needs *read* permission, or *search* permission and possession.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, or `unsupported` for a type that
    ///   can't be read, such as `logon`.
    ///
    /// The corresponding C function is `keyctl_read(3)`.
    public func read() throws(KeyringError) -> SecretBytes {
        try withPayload { bytes in SecretBytes(copying: bytes) }
    }

    /// How many bytes the payload has, without reading it.
    ///
    /// Needs *read* permission, or *search* permission and possession.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied` or `unsupported`.
    ///
    /// The corresponding C function is `keyctl_read(3)` without a buffer.
    public func payloadSize() throws(KeyringError) -> Int {
        try systemCall(.read) { direct_keyctl_read(serial.rawValue, nil, 0) }
    }

    /// Replaces the payload of exactly this key, in place.
    ///
    /// Needs *write* permission. The kernel takes at most 4,096 bytes here, and **clears the timeout**: the key lives for
    /// ever until ``setTimeout(_:)`` is called again.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, `quotaExceeded`, `unsupported`,
    ///   or `invalidArgument` for a payload that the type does not take, an empty one among them.
    ///
    /// The corresponding C function is `keyctl_update(3)`.
    public func update(_ payload: RawSpan) throws(KeyringError) {
        try systemCall(.update) {
            unsafe payload.withUnsafeBytes { bytes in
                unsafe keyctl_update(serial.rawValue, bytes.baseAddress, bytes.count)
            }
        }
    }

    private func readLarge(expecting length: Int) throws(KeyringError) -> SecretBytes {
        try unsafe SecretBytes.reading(.read, expecting: length) { buffer in
            unsafe direct_keyctl_read(serial.rawValue, buffer.baseAddress, buffer.count)
        }
    }
}
