import Glibc
import Keyutils

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
        // A zombie with other threads is a process whose first thread has ended.
        return status.isZombie && status.threadCount <= 1 ? .dead : .alive
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
private struct ProcessStatus {
    let isZombie: Bool
    let threadCount: Int
    let startTime: UInt64

    init?(_ processID: Int32) {
        // The name may hold anything, parentheses too; it takes 64 bytes at most.
        guard let line = SmallFile.read("/proc/\(processID)/stat"), let end = line.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
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
