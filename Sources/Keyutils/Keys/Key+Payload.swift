import CKeyutils
import CLinux
import Synchronization

extension Key {
    /// The most bytes that a `user` or `logon` key can hold.
    public static let largestUserPayload = 32_767
    /// The most bytes that a `big_key` can hold.
    public static let largestBigPayload = 1_048_575

    /// Lends the payload to `body`, without a copy that outlives the call.
    ///
    /// Needs *read* permission, or *search* permission and possession.
    ///
    /// A payload of up to 4,096 bytes takes one system call. So does one of up to 32,768 bytes, if the payload that the
    /// process read before was also longer than 4,096. A payload that does not fit into the buffer is read again into a
    /// larger one. The memory is wiped afterwards.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, or `unsupported` for a type
    ///   that can't be read, such as `logon`.
    ///
    /// The corresponding C function is `keyctl_read(3)`.
    @inlinable
    public func withPayload<Result: ~Copyable>(_ body: (RawSpan) -> Result) throws(KeyringError) -> Result {
        var result: Result?
        try lendPayload { bytes in result = body(bytes) }
        guard let result else { preconditionFailure("the payload was not passed to the closure") }
        return result
    }

    /// Does the work of ``withPayload(_:)`` without generics, so that callers don't pay for them at run time.
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

    /// Whether the last payload was larger than a page; this only affects speed.
    ///
    /// The kernel fills a buffer of up to a page directly. For a larger buffer, it first determines
    /// the payload's length.
    private static let expectsLarge = Atomic(false)

    /// Lends the payload if it fits into `room` bytes; returns its length in any case.
    @inline(__always)
    private func lendPayload(offering room: Int, _ body: (RawSpan) -> Void) throws(KeyringError) -> Int {
        let slot = SecretArena.allocate(room)
        var dirty = 0
        defer { SecretArena.deallocate(slot, wiping: dirty) }
        let length = try systemCall(.read) {
            unsafe direct_keyctl_read(serial.rawValue, slot.start.assumingMemoryBound(to: CChar.self), slot.capacity)
        }
        // Old kernels fill a buffer even if it is too small.
        dirty = min(length, slot.capacity)
        if length <= slot.capacity { body(unsafe UnsafeRawBufferPointer(start: slot.start, count: length).bytes) }
        return length
    }

    /// Reads the payload into new memory.
    ///
    /// Needs *read* permission, or *search* permission and possession.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, or `unsupported` for a type
    ///   that can't be read, such as `logon`.
    ///
    /// The corresponding C function is `keyctl_read(3)`.
    public func read() throws(KeyringError) -> SecretBytes {
        try withPayload { bytes in SecretBytes(copying: bytes) }
    }

    /// Returns the payload's length in bytes, without reading it.
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
    /// Needs *write* permission. The kernel accepts at most 4,096 bytes here, and **clears the timeout**: the key then
    /// never expires until ``setTimeout(_:)`` is called again.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, `quotaExceeded`,
    ///   `unsupported`, or `invalidArgument` for a payload that the type does not accept, such as an empty one.
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
