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
    package static func hash(of payload: RawSpan) -> UInt64 { hash(of: payload, after: 0xCBF2_9CE4_8422_2325) }

    /// A hash of bytes that follow others, of which this is the hash.
    package static func hash(of payload: RawSpan, after start: UInt64) -> UInt64 {
        var hash = start
        for offset in 0..<payload.byteCount {
            let byte = unsafe payload.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return hash
    }
}

/// A process as a lease's record names it: so that another one can tell for certain that it has ended, or can't tell.
struct LeaseHolder: Equatable {
    /// Its number in its own pid namespace.
    let processID: Int32
    /// When it started, in the kernel's ticks; 0 where `/proc` can't be believed, and then nobody concludes anything.
    let startTime: UInt64
    /// The inode of its pid namespace, and that of its time namespace, in which start times are shown.
    let namespaces: UInt64

    enum Fate { case dead, alive, unknown }

    /// What became of it, as far as this process can tell.
    ///
    /// Dead is said only for certain: its namespaces are ours, our `/proc` shows our pid namespace, and its number is
    /// nobody's, another's, or that of a zombie without threads. One that is stopped is alive.
    var fate: Fate {
        guard isOfOwnNamespaces else { return .unknown }
        if kill(processID, 0) != 0, errno == ESRCH { return .dead }
        // Hidden, or gone just now: the next look tells.
        guard let status = ProcessStatus(processID) else { return .unknown }
        if status.startTime != startTime { return .dead }
        return status.hasEnded ? .dead : .alive
    }

    /// Whether its number and its start mean the same here.
    var isOfOwnNamespaces: Bool {
        processID > 0 && startTime != 0 && namespaces != 0 && namespaces == Self.current.namespaces
    }

    /// The calling process.
    static var current: LeaseHolder {
        let processID = getpid()
        return remembered.withLock { known in
            if let known, known.processID == processID { return known }
            let holder = LeaseHolder(lookingAt: processID)
            known = holder
            return holder
        }
    }

    private static let remembered = LockBox<LeaseHolder?>(nil)

    /// Another process of this pid namespace, such as a child.
    init(child processID: Int32) {
        let status = ProcessStatus(processID)
        let parent = Self.current
        self.init(
            processID: processID, startTime: parent.startTime == 0 ? 0 : status?.startTime ?? 0,
            namespaces: parent.namespaces)
    }

    init(processID: Int32, startTime: UInt64, namespaces: UInt64) {
        self.processID = processID
        self.startTime = startTime
        self.namespaces = namespaces
    }

    private init(lookingAt processID: Int32) {
        // The `/proc` of an outer pid namespace shows other processes under our numbers; `NSpid` then has several.
        guard ProcessStatus.isProcOfOwnNamespace, let status = ProcessStatus(processID),
            let pids = Self.inode("/proc/self/ns/pid")
        else {
            self.init(processID: processID, startTime: 0, namespaces: 0)
            return
        }
        let times = Self.inode("/proc/self/ns/time") ?? 0
        self.init(processID: processID, startTime: status.startTime, namespaces: pids << 32 | times & 0xFFFF_FFFF)
    }

    private static func inode(_ path: String) -> UInt64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }
}

/// What `/proc/PID/stat` tells of a process: `proc_pid_stat(5)`.
struct ProcessStatus {
    private let isZombie: Bool
    private let threadCount: Int
    let startTime: UInt64

    /// Whether the process has ended.
    ///
    /// A zombie with other threads is a process whose first thread has ended.
    var hasEnded: Bool { isZombie && threadCount <= 1 }

    init?(_ processID: Int32) {
        guard let line = SmallFile.read("/proc/\(processID)/stat") else { return nil }
        self.init(line: line)
    }

    init?(line: [UInt8]) {
        // The name may hold anything, parentheses too; it takes 64 bytes at most.
        guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
        // The third field of the line comes first here.
        guard fields.count > 19, let state = fields[0].first, let threads = Self.number(fields[17]),
            let start = Self.number(fields[19])
        else { return nil }
        isZombie = state == UInt8(ascii: "Z") || state == UInt8(ascii: "X")
        threadCount = Int(clamping: threads)
        startTime = start
    }

    /// Whether `/proc` shows the pid namespace that this process is in.
    static var isProcOfOwnNamespace: Bool {
        guard let lines = SmallFile.read("/proc/self/status") else { return false }
        for line in lines.split(separator: UInt8(ascii: "\n")) where line.starts(with: "NSpid:".utf8) {
            let numbers = line.dropFirst(6).split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
            return numbers.count == 1 && number(numbers[0]) == UInt64(getpid())
        }
        return false
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        UInt64(String(decoding: digits, as: UTF8.self))
    }
}

/// A file of `/proc` that fits into 4 KiB.
enum SmallFile {
    /// Its first 4,096 bytes; `nil` where it can't be read.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var isRead = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            while true {
                let length = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if length < 0, errno == EINTR { continue }
                isRead = length > 0
                count = max(0, length)
                return
            }
        }
        return isRead ? bytes : nil
    }
}
