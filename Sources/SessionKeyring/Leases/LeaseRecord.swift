import Glibc
import Keyutils

/// What a lease's key says: until when it is held, and for whoever looks at it with `keyctl`, by which process.
///
/// Two little-endian numbers of 8 bytes.
struct LeaseRecord {
    /// How far from its deadline a lease must be for its holder to rely on it.
    static let margin = BootTime(.milliseconds(2))
    private static let size = 16

    let deadline: BootTime
    let processID: Int32

    init(deadline: BootTime) {
        self.deadline = deadline
        self.processID = getpid()
    }

    /// Reads a record; `nil` for bytes that are none.
    init?(payload: RawSpan) {
        guard payload.byteCount == Self.size else { return nil }
        deadline = BootTime(
            nanoseconds: UInt64(littleEndian: unsafe payload.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
        )
        let number = UInt64(littleEndian: unsafe payload.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
        processID = Int32(truncatingIfNeeded: number)
    }

    func withPayload<Result>(_ body: (RawSpan) throws(KeyringError) -> Result) throws(KeyringError) -> Result {
        let words: InlineArray<2, UInt64> = [
            deadline.nanoseconds.littleEndian, UInt64(truncatingIfNeeded: processID).littleEndian,
        ]
        return try unsafe body(words.span.bytes)
    }
}
