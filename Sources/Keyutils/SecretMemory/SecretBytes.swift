import Glibc

/// Secret bytes, kept out of core dumps and swap where possible, and wiped at the end of their life.
///
/// Nothing copies them without your knowledge. The memory is excluded from core dumps and, where the limit allows,
/// locked in RAM. At the end of the value's life, `explicit_bzero(3)` wipes its whole capacity.
///
/// The type is noncopyable: there is one owner, and passing a value on moves it. It has no description, so it can't be
/// printed by accident. A copy that you make, in a `String` or an array, is ordinary memory that nobody wipes.
public struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let slot: SecretArena.Slot
    /// The number of bytes.
    public let count: Int

    private init(slot: SecretArena.Slot, count: Int) {
        self.slot = slot
        self.count = count
    }

    deinit {
        SecretArena.deallocate(slot, wiping: slot.capacity)
    }

    /// Allocates `capacity` bytes, all zero, and lets `initializer` fill them in place.
    ///
    /// The initializer returns how many bytes it wrote. If it throws, the memory is wiped. Returning a count outside of
    /// `0...capacity` is a programming error and traps.
    ///
    /// - Throws: the initializer's error.
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

    /// Copies these bytes.
    public init(copying bytes: RawSpan) {
        unsafe self.init(capacity: bytes.byteCount) { buffer in
            unsafe bytes.withUnsafeBytes { source in unsafe buffer.copyMemory(from: source) }
            return bytes.byteCount
        }
    }

    /// Copies these bytes.
    ///
    /// The array itself remains ordinary memory that is not wiped.
    public init(copying bytes: [UInt8]) {
        unsafe self.init(copying: bytes.span.bytes)
    }

    /// Copies the string's UTF-8.
    ///
    /// The string itself remains ordinary memory that is not wiped.
    public init(utf8 string: String) {
        unsafe self.init(copying: string.utf8Span.span.bytes)
    }

    /// Allocates bytes that are all zero, for ``overwrite(at:with:)``.
    package init(zeros count: Int) {
        unsafe self.init(capacity: count) { _ in count }
    }

    /// Copies these bytes into the memory.
    ///
    /// A place outside of the memory is a programming error and traps. No other thread may use the value meanwhile.
    package func overwrite(at offset: Int, with bytes: RawSpan) {
        precondition(offset >= 0 && bytes.byteCount <= count - offset, "bytes outside of a secret's memory")
        unsafe bytes.withUnsafeBytes { source in
            unsafe UnsafeMutableRawBufferPointer(start: slot.start + offset, count: bytes.byteCount).copyMemory(
                from: source)
        }
    }

    /// Lends the bytes to `body` without copying them.
    ///
    /// - Throws: the error of `body`.
    @inlinable
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe buffer.bytes)
    }

    @usableFromInline var buffer: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: slot.start, count: count)
    }

    /// Whether the count is zero.
    public var isEmpty: Bool { count == 0 }

    /// Whether all memory that this process uses for secrets is locked, so that it is never swapped out.
    ///
    /// This is true unless `RLIMIT_MEMLOCK` was too low or a seccomp filter denies `mlock2(2)`.
    public static var isMemoryLocked: Bool { SecretArena.failedLocking == nil }

    /// The error number of the failure to lock memory for secrets; `nil` if all of it is locked.
    package static var memoryLockError: CInt? { SecretArena.failedLocking }

    /// All memory that this process uses for secrets.
    ///
    /// A forked process that runs no other program can remove its copy with `madvise(2)` and `MADV_DONTNEED`.
    package static var memory: [(start: UnsafeMutableRawPointer, count: Int)] {
        unsafe SecretArena.memory.map { unsafe ($0.start, $0.capacity) }
    }

    /// Returns whether both hold the same bytes, in a time that depends only on the length.
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
