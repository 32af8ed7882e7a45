import Glibc
package import Keyutils

/// What a lease says of its holder, and what that one has begun: the payload of `by`.
///
/// It lies where others may write, so everything in it is checked or ignored. It names no keyring that anybody clears.
///
/// Twelve little-endian numbers of 8 bytes.
package struct LeaseRecord: Equatable {
    private static let version: UInt64 = 0x0001_736B_722D_6C73
    private static let size = 96

    var holder: LeaseHolder
    /// When it was staged.
    var acquired: BootTime
    /// Until when it is held.
    var deadline: BootTime
    /// A command that goes on if its parent, the holder, dies: the lease is held as long as one of them lives.
    var command: LeaseHolder?
    var overwrite: Overwrite?

    /// A value that is being written over an old one in place.
    struct Overwrite: Equatable {
        /// The key that is written to.
        let key: KeySerial
        /// When it is to expire, in seconds of `CLOCK_REALTIME`, which the kernel's timeouts follow.
        let expiry: Int64
        /// A hash of the new payload.
        let hash: UInt64
    }

    init(holder: LeaseHolder, acquired: BootTime, deadline: BootTime) {
        self.holder = holder
        self.acquired = acquired
        self.deadline = deadline
    }

    /// Reads a record; `nil` for bytes that are none.
    package init?(payload: RawSpan) {
        guard payload.byteCount == Self.size else { return nil }
        func word(_ position: Int) -> UInt64 {
            UInt64(littleEndian: unsafe payload.unsafeLoadUnaligned(fromByteOffset: 8 * position, as: UInt64.self))
        }
        func number(_ position: Int) -> Int32 { Int32(truncatingIfNeeded: word(position)) }
        guard word(0) == Self.version else { return nil }
        holder = LeaseHolder(processID: number(1), startTime: word(2), namespaces: word(3))
        acquired = BootTime(nanoseconds: word(4))
        deadline = BootTime(nanoseconds: word(5))
        if number(6) > 0 {
            command = LeaseHolder(processID: number(6), startTime: word(7), namespaces: holder.namespaces)
        }
        if number(8) > 0 {
            overwrite = Overwrite(
                key: KeySerial(rawValue: number(8)), expiry: Int64(bitPattern: word(9)), hash: word(10))
        }
    }

    package func withPayload<Result>(_ body: (RawSpan) throws(KeyringError) -> Result) throws(KeyringError) -> Result {
        func word(_ number: Int32) -> UInt64 { UInt64(truncatingIfNeeded: number) }
        var words: InlineArray<12, UInt64> = [
            Self.version, word(holder.processID), holder.startTime, holder.namespaces, acquired.nanoseconds,
            deadline.nanoseconds, word(command?.processID ?? 0), command?.startTime ?? 0,
            word(overwrite?.key.rawValue ?? 0), UInt64(bitPattern: overwrite?.expiry ?? 0), overwrite?.hash ?? 0, 0,
        ]
        for position in words.indices { words[position] = words[position].littleEndian }
        return try unsafe body(words.span.bytes)
    }

    /// Whether the lease is over now.
    package var isOver: Bool { isOver(at: .now()) }

    /// Whether the lease is over: its time has passed, or all that held it are dead for certain.
    ///
    /// One that would last longer than any lease does is nobody's.
    func isOver(at now: BootTime) -> Bool {
        now > deadline || deadline > now + BootTime(HeldLease.longest) || isAbandoned
    }

    /// Whether all that held it are dead for certain.
    private var isAbandoned: Bool {
        holder.fate == .dead && (command.map { $0.fate == .dead } ?? true)
    }

    /// A hash of a payload (FNV-1a).
    package static func hash(of payload: RawSpan) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for offset in 0..<payload.byteCount {
            let byte = unsafe payload.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return hash
    }
}
