import CommandSupport
import Glibc
import Keyutils
import SystemPackage

/// When and how we end a command: because it ran for too long, or because of a signal that was sent to us.
///
/// At the limit, each of its processes gets SIGTERM; after a signal, each has got that signal. After the grace, those
/// that are left get SIGKILL. If some are left even then, such as those of another user, we give them up.
///
/// **A command that must not be ended** holds a write lock on its standard output, the pipe to us: `fcntl(2)` with
/// `F_SETLK`, for the whole file. It takes the lock before the step that can't be repeated, such as sending a refresh
/// token, and keeps it until it has printed its answer and ends. The kernel releases the lock when the process ends, or
/// closes any of its descriptors of this pipe; a child process does not inherit it. We take a read lock before we end or
/// signal the command, and wait for as long as it is refused. We keep our lock, so a command that can't get its own one
/// is being ended and must not begin. It has to block or ignore a terminal's signals itself. If the lock fails with
/// another error than EAGAIN or EACCES, standard output is not our pipe, and the command just continues. Its lock has no
/// effect either if a shell connects its output to another program.
struct CommandEnding {
    enum Cause { case limit, signal }
    private enum Phase { case running, asked, killed, over }

    /// How long processes have to end after the SIGTERM of the limit.
    static let limitGrace = Duration.seconds(5)
    /// The grace after a signal: we end within two seconds.
    static let signalGrace = Duration.milliseconds(1_400)
    /// How long we wait for processes that SIGKILL doesn't end: those of another user, or those in a system call.
    private var lastGrace: Duration { cause == .signal ? .milliseconds(400) : .seconds(1) }
    private static let pause = Duration.milliseconds(50)
    /// The signals that end us, not only the command.
    private static let final = [SIGTERM, SIGINT, SIGHUP]

    private let grace: Duration
    private let pipe: CInt
    /// Whether a signal ends us even if the command continues.
    private let isEndedBySignals: Bool
    private var descendants: Descendants
    private var phase = Phase.running
    /// When the next phase begins.
    private var deadline: ContinuousClock.Instant?
    /// The earliest time to end a command that has had its lock.
    private var releaseTime = ContinuousClock.now
    /// The signals that the command has not got yet; those of the terminal have reached it already.
    private var waiting: [(number: CInt, isFromTerminal: Bool)] = []
    /// The reason why we are ending the command; `nil` if we aren't.
    private(set) var cause: Cause?

    /// - Parameters:
    ///   - pipe: our end of the command's output; `nil` if the command writes to our own output. A signal then ends
    ///     only the command, unless we can't signal it.
    init(
        of descendants: Descendants, limit: Duration?, grace: Duration = limitGrace, pipe: FileDescriptor? = nil
    ) {
        (self.descendants, self.grace, self.pipe) = (descendants, grace, pipe?.rawValue ?? -1)
        isEndedBySignals = pipe != nil
        deadline = limit.map { .now + $0 }
    }

    /// Whether we don't wait for the command any longer.
    var isOver: Bool { phase == .over }
    /// Whether the command's processes got SIGKILL.
    var hasKilled: Bool { phase == .killed || phase == .over }

    /// How long `poll(2)` can wait before the next call of ``advance(isCommandOver:)``.
    var millisecondsLeft: Int32 {
        guard let deadline, phase != .over else { return waiting.isEmpty ? .max : 50 }
        let isBusy = phase != .running || !waiting.isEmpty || deadline <= .now
        let (seconds, attoseconds) = (isBusy ? Self.pause : deadline - .now).components
        return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// Notes a signal that was sent to us, for the command.
    mutating func add(_ number: CInt, isFromTerminal: Bool) { waiting.append((number, isFromTerminal)) }

    /// Does the steps that are due.
    ///
    /// - Parameter isCommandOver: whether the command itself has ended. The programs that it started then continue,
    ///   unless it was ended at its limit.
    mutating func advance(isCommandOver: Bool) {
        if isCommandOver, cause != .limit { return }
        let isDue = deadline.map { $0 <= .now } ?? false
        guard isDue || !waiting.isEmpty || phase != .running, mayEnd() else { return }
        for (number, isFromTerminal) in waiting { pass(on: number, isFromTerminal) }
        waiting = []
        if isDue { beginNextPhase() }
        switch phase {
        case .running: _ = pipe < 0 || lock(F_UNLCK)
        case .asked where cause == .signal: break
        case .asked: if !descendants.end(by: SIGTERM, isCommandOver: isCommandOver) { phase = .over }
        case .killed:
            let isAnyLeft = descendants.end(by: SIGKILL, isCommandOver: isCommandOver)
            if isCommandOver, !isAnyLeft { phase = .over }
        case .over: break
        }
    }

    private mutating func pass(on number: CInt, _ isFromTerminal: Bool) {
        // The kernel sends a terminal's signals to the command too. A hangup might not reach it, but a second one does
        // no harm.
        let isReached = isFromTerminal && number != SIGHUP || descendants.signal(number)
        guard cause != .signal, Self.final.contains(number), isEndedBySignals || !isReached else { return }
        if phase == .running { phase = .asked }
        let end = ContinuousClock.now + Self.signalGrace
        (cause, deadline) = (.signal, min(cause == .limit ? deadline ?? end : end, end))
    }

    private mutating func beginNextPhase() {
        switch phase {
        case .running: (phase, cause, deadline) = (.asked, .limit, .now + grace)
        case .asked: (phase, deadline) = (.killed, .now + lastGrace)
        case .killed, .over: phase = .over
        }
    }

    /// Takes our lock on the command's output; false while the command must not be ended.
    private mutating func mayEnd() -> Bool {
        guard pipe >= 0 else { return true }
        let isFree = lock(F_RDLCK)
        // A command that has just released its lock is probably ending.
        if !isFree { releaseTime = .now + Self.pause * 4 }
        if isFree, releaseTime <= .now { return true }
        if isFree { _ = lock(F_UNLCK) }
        return false
    }

    /// Takes or releases our lock on the command's output; false if the command has its lock.
    private func lock(_ type: CInt) -> Bool {
        var lock = flock()
        lock.l_type = Int16(type)
        return unsafe fcntl(pipe, F_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES)
    }
}

/// All that a command has started, directly or through others: the processes below its guard.
///
/// A process stays below the guard even if the process that started it has ended, and `/proc` shows it there. Without a
/// guard or `/proc`, we reach only the command itself.
struct Descendants {
    private let guardID: pid_t?
    private let command: pid_t
    /// The start times of the processes that got SIGTERM here, because a second one would run a shell's `trap` again.
    private var asked: [pid_t: UInt64] = [:]
    /// The last signal that the command got alone.
    private var last: CInt?

    init(of guardID: pid_t?, orOnly command: pid_t) {
        self.guardID = guardID
        self.command = command
    }

    /// Sends a signal to each process; false if no process can be signalled.
    func signal(_ number: CInt) -> Bool {
        guard let running = running() else { return kill(command, number) == 0 }
        var isAnySignalled = false
        for (id, _) in running where kill(id, number) == 0 { isAnySignalled = true }
        return isAnySignalled
    }

    /// Sends a signal to each process, SIGTERM only once, and returns whether any is left.
    ///
    /// The processes start others meanwhile, so call this again until it returns `false`.
    ///
    /// - Parameter isCommandOver: whether the command itself has ended.
    mutating func end(by signal: CInt, isCommandOver: Bool) -> Bool {
        guard let running = running() else {
            if last != signal { kill(command, signal) }
            last = signal
            return !isCommandOver
        }
        for (id, record) in running {
            let isWaitedFor = signal == SIGTERM && asked[id] == record.startTime
            if isWaitedFor { continue }
            asked[id] = record.startTime
            kill(id, signal)
        }
        return !running.isEmpty
    }

    /// Returns the processes that have not ended; `nil` without a guard, or if `/proc` doesn't show them.
    private func running() -> [(id: pid_t, record: ProcessRecord)]? {
        // In a container, /proc can be that of its machine, where the same numbers are other processes.
        guard let guardID, ProcessRecord.isProcOfOwnNamespace, ProcessRecord(guardID)?.parent == getpid() else {
            return nil
        }
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
