import Glibc

/// Bytes that must not leak: never copied behind your back, kept out of core dumps, locked in memory where the limit
/// allows, and wiped with `explicit_bzero(3)` over their whole capacity when their life ends.
///
/// The type is noncopyable: there is one owner, and passing it on moves it. It has no description, so it can't be printed
/// by accident. What you copy out of it, into a `String` or an array, is ordinary memory that nobody wipes.
public struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let slot: SecretArena.Slot
    /// How many bytes there are.
    public let count: Int

    private init(slot: SecretArena.Slot, count: Int) {
        self.slot = slot
        self.count = count
    }

    deinit {
        SecretArena.deallocate(slot, wiping: slot.capacity)
    }

    /// Room for `capacity` bytes, all zero at first, filled in place by `initializer`, which returns how many it wrote.
    ///
    /// Nothing that was written survives an error that the initializer throws. Returning a count outside
    /// `0...capacity` is a programming error and traps.
    ///
    /// - Throws: what the initializer throws.
    public init<Failure: Error>(
        capacity: Int,
        initializingWith initializer: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        let slot = SecretArena.allocate(capacity)
        do throws(Failure) {
            let count = try unsafe initializer(UnsafeMutableRawBufferPointer(start: slot.start, count: capacity))
            precondition((0...capacity).contains(count), "an initializer of SecretBytes returned an impossible count")
            self.init(slot: slot, count: count)
        } catch {
            SecretArena.deallocate(slot, wiping: slot.capacity)
            throw error
        }
    }

    /// A copy of these bytes.
    public init(copying bytes: RawSpan) {
        unsafe self.init(capacity: bytes.byteCount) { buffer in
            unsafe bytes.withUnsafeBytes { source in unsafe buffer.copyMemory(from: source) }
            return bytes.byteCount
        }
    }

    /// A copy of these bytes.
    ///
    /// The array itself stays as it was: ordinary memory that is not wiped.
    public init(copying bytes: [UInt8]) {
        unsafe self.init(copying: bytes.span.bytes)
    }

    /// The string's UTF-8.
    ///
    /// The string itself stays as it was: ordinary memory that is not wiped.
    public init(utf8 string: String) {
        unsafe self.init(copying: string.utf8Span.span.bytes)
    }

    /// Lends the bytes to `body` without a copy.
    ///
    /// - Throws: what `body` throws.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe UnsafeRawBufferPointer(start: slot.start, count: count).bytes)
    }

    /// Whether there are no bytes.
    public var isEmpty: Bool { count == 0 }

    /// Whether all memory that this process uses for secrets is locked, so that it is never swapped out: true unless
    /// `RLIMIT_MEMLOCK` was too low or a seccomp filter denies `mlock2(2)`.
    public static var isMemoryLocked: Bool { SecretArena.failedLocking == nil }

    /// The error number with which memory for secrets could not be locked; `nil` if it is locked.
    package static var memoryLockError: CInt? { SecretArena.failedLocking }

    /// Whether both hold the same bytes, compared in a time that depends on the length alone.
    public func isEqual(to other: borrowing SecretBytes) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for offset in 0..<count {
            difference |=
                unsafe slot.start.load(fromByteOffset: offset, as: UInt8.self)
                ^ other.slot.start.load(fromByteOffset: offset, as: UInt8.self)
        }
        return difference == 0
    }
}
