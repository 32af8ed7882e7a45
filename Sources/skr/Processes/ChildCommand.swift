import CProcess
import CommandSupport
import Glibc
import Keyutils
import SessionKeyring
import SystemPackage

/// A command that runs as our child while we renew a lease.
///
/// The child gets the signals that are sent to us. If we are killed, the kernel kills the child too. ``CommandEnding``
/// decides when we end it.
struct ChildCommand: ~Copyable {
    private let processID: pid_t
    /// The process that keeps all that a limited command starts below itself.
    private let commandGuard: child_guard?
    private let signals: CInt
    private let terminal = TerminalModes()
    private var status: CInt?
    /// The signals that were sent to us, in the order of their first arrivals.
    private var received: [CInt] = []
    /// Whether a signal has arrived after the command's end.
    private var isInterruptedLate = false
    private var renewer: LeaseRenewer
    private var ending: CommandEnding

    /// Starts the command, with our own standard input and output unless the caller passes others.
    ///
    /// - Parameter output: the pipe for the command's output.
    init(
        _ command: CommandLineWords,
        _ settings: ChildSettings = ChildSettings(),
        input: FileDescriptor? = nil,
        output: (reader: FileDescriptor, writer: FileDescriptor)? = nil,
        holding signals: BlockedSignals,
        renewer: LeaseRenewer
    ) throws(CommandError) {
        var (blocked, before) = (signals.blocked, signals.before)
        // Opened before the child starts: without it, we could neither forward signals to the child nor notice its end.
        let arrivals = unsafe signalfd(-1, &blocked, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        guard arrivals >= 0 else { throw Launch.cannotForwardSignals(to: command, .last) }
        var failure = child_failure()
        var child: pid_t = -1
        var commandGuard = child_guard(process: 0, status: -1)
        unsafe settings.environment.withPointers { variables in
            unsafe withUnsafePointer(to: &before) { mask in
                unsafe settings.folder.withCString { folder in
                    unsafe withUnsafeMutablePointer(to: &commandGuard) { commandGuard in
                        // Only a guard needs them.
                        let memory = unsafe settings.limit == nil ? [] : SecretBytes.memory
                        let secrets = unsafe memory.map { unsafe iovec(iov_base: $0.start, iov_len: $0.count) }
                        unsafe secrets.withUnsafeBufferPointer { secrets in
                            var setup = unsafe child_setup(
                                words: command.pointers, environment: variables, input: input?.rawValue ?? -1,
                                output: output?.writer.rawValue ?? -1, mask: mask, folder: folder,
                                guard: settings.limit == nil ? nil : commandGuard, secrets: secrets.baseAddress,
                                secret_count: CInt(secrets.count))
                            var waiting = waiting_child()
                            guard unsafe prepare_child(&setup, &waiting, &failure) == 0 else { return }
                            // If we are killed, the lease must not be free while the command still runs, which is
                            // possible as soon as it has started. If this fails, the release notices it.
                            _ = try? renewer.name(command: waiting.process)
                            child = unsafe run_child(&setup, &waiting, &failure)
                        }
                    }
                }
            }
        }
        guard child > 0 else {
            close(arrivals)
            throw Launch.failure(of: command, failure)
        }
        processID = child
        self.renewer = renewer
        self.commandGuard = settings.limit == nil ? nil : commandGuard
        ending = CommandEnding(
            of: Descendants(of: self.commandGuard?.process, orOnly: child), limit: settings.limit, pipe: output?.reader)
        self.signals = arrivals
    }

    deinit {
        close(signals)
        if var commandGuard { unsafe end_guard(&commandGuard) }
    }

    /// Waits until `file` can be read, and returns true; or until the command has ended, and returns false.
    mutating func wait(for file: FileDescriptor) -> Bool {
        while !isOver { if waitOnce(for: file.rawValue) { return true } }
        return false
    }

    /// Waits until `file` can be written, also after the command's end.
    ///
    /// - Returns: false once a signal or the limit has ended the command, or a signal has arrived after its end.
    mutating func wait(toWrite file: FileDescriptor) -> Bool {
        while !isOver || ending.cause == nil {
            // A command that must not be ended can have ended before it got its signal.
            if status != nil, received.contains(where: CommandEnding.final.contains) { isInterruptedLate = true }
            if isInterruptedLate { return false }
            if waitOnce(for: file.rawValue, CInt(POLLOUT)) { return true }
        }
        return false
    }

    /// Waits until the command has ended, or until we give it up.
    ///
    /// If the command has run for too long, all that it has started has ended too.
    mutating func waitForEnd() -> ChildEnd {
        while !isOver { _ = waitOnce() }
        // A signal that arrived just before the command's end counts.
        receiveSignals()
        let end = ChildEnd(
            status: status, received: received, isInterrupted: ending.isInterrupted || isInterruptedLate,
            endedBy: ending.cause, isKilled: ending.hasKilled)
        // A program that was killed while it read a passphrase leaves the terminal without its echo.
        if ending.cause != nil { terminal?.restore() }
        return end
    }

    private var isOver: Bool { ending.isOver || status != nil && ending.cause != .limit }

    /// Waits for the next event; forwards signals, renews the lease and enforces the limit.
    ///
    /// - Returns: whether the file can be read, or written.
    private mutating func waitOnce(for file: CInt = -1, _ events: CInt = CInt(POLLIN)) -> Bool {
        // The guard reports the command's end. Without a guard, SIGCHLD does.
        let reports = status == nil ? commandGuard?.status ?? -1 : -1
        var wanted = [file, signals, reports].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        wanted[0].events = Int16(events)
        let isEnding = status == nil || ending.cause != nil
        let limit = min(renewer.millisecondsLeft, isEnding ? ending.millisecondsLeft : .max)
        // The command can have ended before the first wait. A signal that arrives together with its end is taken for an
        // earlier one.
        if !readStatus(), unsafe poll(&wanted, 3, limit) > 0 { receiveSignals() }
        renewer.renewIfDue()
        ending.advance(isCommandOver: status != nil)
        return wanted[0].revents != 0
    }

    /// Notes the command's status if it has ended; returns whether this is new.
    private mutating func readStatus() -> Bool {
        guard self.status == nil else { return false }
        var status: CInt = 0
        if let commandGuard {
            var wanted = pollfd(fd: commandGuard.status, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wanted, 1, 0) > 0 else { return false }
            let size = MemoryLayout<CInt>.size
            // If somebody has killed the guard, the kernel has killed the command.
            if unsafe read(commandGuard.status, &status, size) != size { status = SIGKILL }
        } else if unsafe waitpid(processID, &status, WNOHANG) != processID {
            return false
        }
        self.status = status
        return true
    }

    private mutating func receiveSignals() {
        let fromKernel: CInt = 0x80
        var signal = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while unsafe read(signals, &signal, size) == size {
            let number = CInt(signal.ssi_signo)
            guard number != SIGCHLD else { continue }
            if !received.contains(number) { received.append(number) }
            if status != nil, ChildEnd.interrupting.contains(number) { isInterruptedLate = true }
            ending.add(number, isFromTerminal: signal.ssi_code == fromKernel)
        }
    }
}

/// The way in which a command has ended.
struct ChildEnd {
    /// The exit code as a shell reports it: 128 + N for signal N.
    let exitCode: Int32
    /// The signals that interrupt a command, if they are sent to us.
    static let interrupting = CommandEnding.final + [SIGQUIT]
    /// The signal that ends us; 0 for none.
    private let ownSignal: CInt
    /// Whether the command was stopped by a signal that was sent to us, or failed after it.
    ///
    /// It can have caught the signal.
    let isInterrupted: Bool
    /// Whether the command died of a signal that was sent to us too, or had to be killed after it.
    let isOurs: Bool
    /// Whether we gave the command up, although it has not ended.
    let isGivenUp: Bool
    /// Whether we ended the command because it ran for too long.
    let isOverdue: Bool

    /// - Parameters:
    ///   - status: the status from `waitpid(2)`; `nil` if the command has not ended.
    ///   - received: the signals that were sent to us.
    ///   - isInterrupted: whether the output is incomplete because of one of them, even after exit code 0.
    ///   - cause: the reason why we ended the command; `nil` if we didn't.
    ///   - isKilled: whether SIGKILL was necessary for that.
    init(
        status: CInt?, received: [CInt], isInterrupted: Bool = false, endedBy cause: CommandEnding.Cause? = nil,
        isKilled: Bool = false
    ) {
        (isGivenUp, isOverdue) = (status == nil, cause == .limit)
        let status = status ?? SIGKILL
        let signal = status & 0x7F
        let interruption = received.first { Self.interrupting.contains($0) } ?? 0
        let hasDied = signal != 0 && received.contains(signal)
        // The command's exit code would be that of a complete output.
        let isCut = status == 0 && isInterrupted
        exitCode = isCut ? 128 + interruption : signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        isOurs = hasDied || isCut || cause == .signal && isKilled
        ownSignal = hasDied ? signal : interruption
        self.isInterrupted = isInterrupted || interruption != 0 && status != 0
    }

    /// Ends this process as the command ended: by the same signal if that was sent to us too.
    func propagate() -> Never {
        if isOurs { endWithSignal() }
        exit(exitCode)
    }

    /// Ends this process by the signal that the command died of, or else by the first one that was sent to us.
    func endWithSignal() -> Never {
        Console.writeLastWords()
        // This process did not crash, so it dumps no core. If a program receives cores through a pipe, the kernel
        // obeys only a limit of 1.
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        unsafe setrlimit(__rlimit_resource_t(4), &limit)
        Glibc.signal(ownSignal, SIG_DFL)
        var only = sigset_t()
        unsafe sigemptyset(&only)
        unsafe sigaddset(&only, ownSignal)
        raise(ownSignal)
        unsafe sigprocmask(SIG_UNBLOCK, &only, nil)
        exit(128 + ownSignal)
    }
}
