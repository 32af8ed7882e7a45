import CommandSupport
import Glibc
import Keyutils
import SystemPackage

/// When and how we end a command: because it ran for too long, or because of a signal that was sent to us.
///
/// At the limit, each of its processes gets SIGTERM; after a signal that ends us, each has got that signal. After the
/// grace, those that are left get SIGKILL. If some are left even then, such as those of another user, we give them up.
///
/// **A command that must not be ended** holds a write lock on its standard output, the pipe to us: `fcntl(2)` with
/// `F_SETLK`, for the whole file. It takes the lock before the step that can't be repeated, such as sending a refresh
/// token, and keeps it until it has printed its answer and ends. The kernel releases the lock when the process ends, or
/// closes any of its descriptors of this pipe; a child process does not inherit it. We end or signal the command only
/// while nobody has that lock. Before we begin to end it, we take a read lock, and we keep it, so a command that can't
/// get its own lock is being ended and must not begin. It has to block or ignore a terminal's signals itself. If the
/// lock fails with another error than EAGAIN or EACCES, standard output is not our pipe, and the command just
/// continues. Its lock has no effect either if a shell connects its output to another program.
struct CommandEnding {
    enum Cause { case limit, signal }
    private enum Phase { case running, asked, killed, over }

    /// How long processes have to end after the SIGTERM of the limit.
    static let limitGrace = Duration.seconds(5)
    /// The grace after a signal.
    private let signalGrace: Duration
    /// How long we wait for processes that SIGKILL doesn't end: those of another user, or those in a system call.
    private var lastGrace: Duration { isSignalled ? signalGrace / 3 : .seconds(1) }
    private static let pause = Duration.milliseconds(50)
    /// The signals that end us and all that the command has started.
    ///
    /// The command alone gets the others.
    static let final = [SIGTERM, SIGINT, SIGHUP]

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
    /// Whether a signal that ends us has shortened the wait.
    private var isSignalled = false
    /// The reason why we are ending the command, which is the first one; `nil` if we aren't.
    private(set) var cause: Cause?
    /// Whether the command got a signal that ends us, so that its output can be incomplete whatever its exit code is.
    private(set) var isInterrupted = false

    /// - Parameters:
    ///   - pipe: our end of the command's output; `nil` if the command writes to our own output. A signal then ends
    ///     only the command, unless we can't signal it.
    ///   - depth: how many outputs wait for this process. After a signal, the outermost `skr` ends within two seconds.
    ///     Each one ends within the grace of the one that waits for it, so that nobody kills it with its lease.
    init(
        of descendants: Descendants, limit: Duration?, grace: Duration = limitGrace, pipe: FileDescriptor? = nil,
        depth: Int = FetchChain.depth
    ) {
        signalGrace = .milliseconds(1_350) * (0..<min(depth, 8)).reduce(1.0) { scale, _ in scale * 0.6 }
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
        guard isDue || !waiting.isEmpty || phase != .running else { return }
        let isFinal = isDue || phase != .running || waiting.contains { Self.final.contains($0.number) }
        guard mayEnd(withLock: isFinal) else { return }
        for (number, isFromTerminal) in waiting { pass(on: number, isFromTerminal: isFromTerminal) }
        waiting = []
        if isDue { beginNextPhase() }
        switch phase {
        case .running, .over: break
        case .asked where cause == .signal: break
        case .asked, .killed:
            let signal = phase == .killed ? SIGKILL : SIGTERM
            let isAnyLeft = descendants.end(by: signal, isCommandOver: isCommandOver)
            // /proc possibly doesn't show the processes of another user.
            if isCommandOver, !isAnyLeft { phase = .over }
        }
    }

    private mutating func pass(on number: CInt, isFromTerminal: Bool) {
        let isFinal = Self.final.contains(number)
        // At the limit, each process gets SIGTERM, and a second one would run a shell's `trap` again.
        if isFinal, cause == .limit { return shorten() }
        // The kernel sends a terminal's signals to our group. A hangup might not reach the command, but a second one
        // does no harm.
        let hasReached = isFromTerminal && number != SIGHUP && descendants.isCommandInOwnGroup
        let isReached = hasReached || (isFinal ? descendants.signal(number) : descendants.signalCommand(number))
        guard isFinal, isEndedBySignals || !isReached else { return }
        if isReached { isInterrupted = true }
        guard cause == nil else { return }
        (cause, phase, deadline) = (.signal, .asked, nil)
        shorten()
    }

    /// Makes the current phase end soon, because of a signal that ends us.
    private mutating func shorten() {
        guard !isSignalled, phase != .over else { return }
        isSignalled = true
        let end = ContinuousClock.now + (phase == .killed ? lastGrace : signalGrace)
        deadline = min(deadline ?? end, end)
    }

    private mutating func beginNextPhase() {
        switch phase {
        case .running: (phase, cause, deadline) = (.asked, .limit, .now + grace)
        case .asked: (phase, deadline) = (.killed, .now + lastGrace)
        case .killed, .over: phase = .over
        }
    }

    /// Returns false while the command must not be ended or signalled.
    ///
    /// - Parameter withLock: whether to take our lock on the command's output, which keeps the command from taking its
    ///   own one.
    private mutating func mayEnd(withLock: Bool) -> Bool {
        guard pipe >= 0 else { return true }
        let isFree = isLockFree(F_GETLK) && (!withLock || releaseTime > .now || isLockFree(F_SETLK))
        // A command that has just released its lock is probably ending.
        if !isFree { releaseTime = .now + Self.pause * 4 }
        return isFree && releaseTime <= .now
    }

    /// Looks for the command's lock on its output (`F_GETLK`), or takes our own one (`F_SETLK`).
    private func isLockFree(_ call: CInt) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        guard unsafe fcntl(pipe, call, &lock) == 0 else { return errno != EAGAIN && errno != EACCES }
        return call == F_SETLK || lock.l_type == Int16(F_UNLCK)
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

    /// Whether the command gets the signals that a terminal sends to our group.
    var isCommandInOwnGroup: Bool { getpgid(command) == getpgrp() }

    /// Sends a signal to the command alone; false if that is not possible.
    func signalCommand(_ number: CInt) -> Bool { kill(command, number) == 0 }

    /// Sends a signal to each process; false if no process can be signalled.
    func signal(_ number: CInt) -> Bool {
        guard let running = running(), !running.isEmpty else { return signalCommand(number) }
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
        guard let running = running(), !running.isEmpty || isCommandOver else {
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
