import Glibc
package import Keyutils

/// The payload of `by`: who holds the lease, and until when.
///
/// Other programs can write to `by`, so readers check or ignore everything in it. No process clears a keyring because a
/// record names it.
///
/// It consists of eight little-endian numbers of 8 bytes.
package struct LeaseRecord: Equatable {
    private static let version: UInt64 = 0x0001_736B_722D_6C73
    private static let size = 64

    var holder: LeaseHolder
    /// When the lease was staged.
    var acquired: BootTime
    /// When the lease ends, unless it is renewed or released.
    var deadline: BootTime
    /// A command that keeps running if its parent, the holder, dies; the lease is held as long as one of them lives.
    var command: LeaseHolder?
}

extension LeaseRecord {
    /// Reads a record; `nil` if the bytes are not a record.
    package init?(payload: RawSpan) {
        guard payload.byteCount == Self.size else { return nil }
        func word(_ position: Int) -> UInt64 { payload.word(at: 8 * position) }
        func number(_ position: Int) -> Int32 { Int32(truncatingIfNeeded: word(position)) }
        guard word(0) == Self.version else { return nil }
        holder = LeaseHolder(processID: number(1), startTime: word(2), namespaces: word(3))
        acquired = BootTime(nanoseconds: word(4))
        deadline = BootTime(nanoseconds: word(5))
        if number(6) > 0 {
            command = LeaseHolder(processID: number(6), startTime: word(7), namespaces: holder.namespaces)
        }
    }

    package func withPayload<Result>(_ body: (RawSpan) throws(KeyringError) -> Result) throws(KeyringError) -> Result {
        func word(_ number: Int32) -> UInt64 { UInt64(truncatingIfNeeded: number) }
        var words: InlineArray<8, UInt64> = [
            Self.version, word(holder.processID), holder.startTime, holder.namespaces, acquired.nanoseconds,
            deadline.nanoseconds, word(command?.processID ?? 0), command?.startTime ?? 0,
        ]
        for position in words.indices { words[position] = words[position].littleEndian }
        return try unsafe body(words.span.bytes)
    }

    /// Whether the lease has ended by now.
    package var isOver: Bool { isOver(at: .now()) }

    /// Returns whether the lease has ended: its time has passed, or all its holders are certainly dead.
    ///
    /// A lease that claims to last longer than ``HeldLease/longest`` belongs to nobody.
    func isOver(at now: BootTime) -> Bool {
        now > deadline || deadline > now + BootTime(HeldLease.longest) || isAbandoned
    }

    /// Whether the holder and its command, if there is one, are certainly dead.
    private var isAbandoned: Bool {
        holder.fate == .dead && (command.map { $0.fate == .dead } ?? true)
    }
}

/// A process in a lease's record, described so that others can tell whether it has certainly ended.
struct LeaseHolder: Equatable {
    /// Its number in its own pid namespace.
    let processID: Int32
    /// When it started, in the kernel's ticks; 0 if `/proc` can't be trusted, so that nobody considers it dead.
    let startTime: UInt64
    /// The inode numbers of its pid namespace and of its time namespace, on which start times depend.
    let namespaces: UInt64

    enum Fate { case dead, alive, unknown }

    /// Whether the process is dead or alive, as far as this process can tell.
    ///
    /// The result is `dead` only if that is certain. The process must be in our namespaces, and our `/proc` must show
    /// our pid namespace. In addition, its number must be unused, belong to another process, or belong to a zombie
    /// without other threads. A stopped process is alive.
    var fate: Fate {
        guard isOfOwnNamespaces else { return .unknown }
        if kill(processID, 0) != 0, errno == ESRCH { return .dead }
        // `/proc` hides the process, or the process has just gone. In that case, the next look finds out.
        guard let status = ProcessRecord(processID) else { return .unknown }
        if status.startTime != startTime { return .dead }
        return status.hasEnded ? .dead : .alive
    }

    /// Whether its number and its start time mean the same in this process.
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
}

extension LeaseHolder {
    /// Describes another process of this pid namespace, such as a child.
    init(child processID: Int32) {
        let status = ProcessRecord(processID)
        let parent = Self.current
        self.init(
            processID: processID, startTime: parent.startTime == 0 ? 0 : status?.startTime ?? 0,
            namespaces: parent.namespaces)
    }

    private init(lookingAt processID: Int32) {
        guard ProcessRecord.isProcOfOwnNamespace, let status = ProcessRecord(processID),
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
