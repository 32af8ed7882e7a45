import Glibc
import Keyutils

/// What a lease's key says: until when it is held; for whoever looks at it with `keyctl`, by which process; and which
/// fence its holder must pass to write.
///
/// Three little-endian numbers of 8 bytes.
struct LeaseRecord {
    /// How far from its deadline a lease must be for its holder to rely on it.
    static let margin = BootTime(.milliseconds(2))
    private static let size = 24

    let deadline: BootTime
    let processID: Int32
    let fence: KeySerial?

    init(deadline: BootTime, fence: KeySerial? = nil) {
        self.deadline = deadline
        self.processID = getpid()
        self.fence = fence
    }

    /// Reads a record; `nil` for bytes that are none.
    init?(payload: RawSpan) {
        guard payload.byteCount == Self.size else { return nil }
        func word(_ position: Int) -> UInt64 {
            UInt64(littleEndian: unsafe payload.unsafeLoadUnaligned(fromByteOffset: 8 * position, as: UInt64.self))
        }
        deadline = BootTime(nanoseconds: word(0))
        processID = Int32(truncatingIfNeeded: word(1))
        let serial = Int32(truncatingIfNeeded: word(2))
        fence = serial == 0 ? nil : KeySerial(rawValue: serial)
    }

    func withPayload<Result>(_ body: (RawSpan) throws(KeyringError) -> Result) throws(KeyringError) -> Result {
        let words: InlineArray<3, UInt64> = [
            deadline.nanoseconds.littleEndian, UInt64(truncatingIfNeeded: processID).littleEndian,
            UInt64(truncatingIfNeeded: fence?.rawValue ?? 0).littleEndian,
        ]
        return try unsafe body(words.span.bytes)
    }
}
