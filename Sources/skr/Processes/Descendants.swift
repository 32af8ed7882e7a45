import CommandSupport
import Glibc
import Keyutils

/// All that a command has started, directly or through others: the processes below its guard.
///
/// A process stays below the guard even if the process that started it has ended, and `/proc` shows it there.
struct Descendants {
    private let guardID: pid_t
    /// The command: all that we can reach without `/proc`.
    private let command: pid_t
    /// The start times of the processes that got SIGTERM here, because a second one would run a shell's `trap` again.
    private var asked: [pid_t: UInt64] = [:]
    /// The last signal that the command got without `/proc`.
    private var last: CInt?

    init(of guardID: pid_t, orOnly command: pid_t) {
        self.guardID = guardID
        self.command = command
    }

    /// Sends a signal to each process.
    func signal(_ number: CInt) {
        guard let running = running() else {
            kill(command, number)
            return
        }
        for (id, _) in running { kill(id, number) }
    }

    /// Sends a signal to each process, SIGTERM only once, and returns whether any is left that we can signal.
    ///
    /// The processes start others meanwhile, so call this again until it returns `false`. A command that has become
    /// another user can't be signalled.
    ///
    /// - Parameter isCommandOver: whether the command itself has ended.
    mutating func end(by signal: CInt, isCommandOver: Bool) -> Bool {
        guard let running = running() else {
            if last != signal { kill(command, signal) }
            last = signal
            return !isCommandOver
        }
        var isAnyLeft = false
        for (id, record) in running {
            let isWaitedFor = signal == SIGTERM && asked[id] == record.startTime
            if !isWaitedFor { asked[id] = record.startTime }
            if kill(id, isWaitedFor ? 0 : signal) == 0 { isAnyLeft = true }
        }
        return isAnyLeft
    }

    /// Returns the processes that have not ended; `nil` if `/proc` doesn't show them.
    private func running() -> [(id: pid_t, record: ProcessRecord)]? {
        // In a container, /proc can be that of its machine, where the same numbers are other processes.
        guard ProcessRecord.isProcOfOwnNamespace, ProcessRecord(guardID)?.parent == getpid() else { return nil }
        let all = FolderNames.all(in: "/proc").compactMap { pid_t($0) }
            .compactMap { id in ProcessRecord(id).map { (id: id, record: $0) } }
        let children = Dictionary(grouping: all, by: \.record.parent)
        var found = children[guardID] ?? []
        var next = 0
        while next < found.count {
            found += children[found[next].id] ?? []
            next += 1
        }
        return found.filter { !$0.record.hasEnded }
    }
}
