import CProcess
import CommandSupport
import Glibc
import Keyutils
import SessionKeyring
import SystemPackage

/// The surroundings of a child, if they differ from our own.
struct ChildSettings {
    var environment = EnvironmentBlock()
    /// The working folder; empty for our own.
    var folder = ""
    /// How long the command can run; `nil` for as long as it wants.
    var limit: Duration?
}

/// A command that runs as our child while we renew a lease.
///
/// The child gets the signals that are sent to us. If we are killed, the kernel kills the child too.
struct ChildCommand: ~Copyable {
    private let processID: pid_t
    /// The process that keeps all that a limited command starts below itself.
    private let commandGuard: child_guard?
    private let signals: CInt
    private var status: CInt?
    private var received: CInt = 0
    private var renewer: LeaseRenewer
    private var limit: TimeLimit?
    /// Whether the command was ended because it ran for too long.
    private var isOverdue = false

    /// Starts the command, with our own standard input and output unless the caller passes others.
    init(
        _ command: CommandLineWords,
        _ settings: ChildSettings = ChildSettings(),
        input: FileDescriptor? = nil,
        output: FileDescriptor? = nil,
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
                                output: output?.rawValue ?? -1, mask: mask, folder: folder,
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
        let descendants = Descendants(of: commandGuard.process, orOnly: child)
        limit = settings.limit.map { TimeLimit($0, of: descendants) }
        self.signals = arrivals
    }

    deinit {
        close(signals)
        if var commandGuard { unsafe end_guard(&commandGuard) }
    }

    /// Waits until `file` can be read; forwards signals and renews the lease in the meantime.
    ///
    /// If the command has run for too long, this ends it. `file` then has no more bytes, even if another process still
    /// has its other end open.
    mutating func wait(for file: FileDescriptor) {
        while true {
            var wanted = [Self.readable(file.rawValue), Self.readable(signals)]
            let count = unsafe poll(&wanted, 2, millisecondsLeft)
            renewer.renewIfDue()
            enforceLimit()
            // Only a process that we can't end still has the other end open.
            let isAbandoned = limit?.isOver == true && (isOverdue || !Self.isReadable(file.rawValue))
            if isAbandoned, let null = try? unsafe FileDescriptor.open("/dev/null", .readOnly) {
                _ = try? null.closeAfter { try null.duplicate(as: file) }
                return
            }
            guard count > 0 else { continue }
            if wanted[1].revents != 0 { forwardSignals() }
            if wanted[0].revents != 0 { return }
        }
    }

    /// Waits until the command has ended; forwards signals and renews the lease in the meantime.
    ///
    /// If the command has run for too long, all that it has started has ended too.
    mutating func waitForEnd() -> ChildEnd {
        while true {
            // This comes first, because a signal that arrived just before the command's end would be lost otherwise.
            forwardSignals()
            if let status = status ?? (limit?.isOver == true ? SIGKILL : nil), limit?.isEnding != true {
                return ChildEnd(status: status, received: received, isOverdue: isOverdue)
            }
            if status == nil, readStatus() { continue }
            // The guard reports the command's end. Without a guard, SIGCHLD does.
            var wanted = [Self.readable(signals), Self.readable(status == nil ? commandGuard?.status ?? -1 : -1)]
            _ = unsafe poll(&wanted, 2, millisecondsLeft)
            renewer.renewIfDue()
            enforceLimit()
        }
    }

    /// Notes the command's status if it has ended; returns whether it has.
    private mutating func readStatus() -> Bool {
        var status: CInt = 0
        if let commandGuard {
            guard Self.isReadable(commandGuard.status) else { return false }
            let size = MemoryLayout<CInt>.size
            // If somebody has killed the guard, the kernel has killed the command.
            if unsafe read(commandGuard.status, &status, size) != size { status = SIGKILL }
        } else if unsafe waitpid(processID, &status, WNOHANG) != processID {
            return false
        }
        self.status = status
        return true
    }

    /// How long `poll(2)` can wait.
    private var millisecondsLeft: Int32 { min(renewer.millisecondsLeft, limit?.millisecondsLeft ?? .max) }

    /// Ends the command and all that it has started if it has run for too long.
    private mutating func enforceLimit() {
        guard limit?.isReached == true else { return }
        // If the command has ended in time, a program that it started still has its output open.
        if status == nil, !readStatus(), limit?.isEnding == false { isOverdue = true }
        limit?.enforce(isCommandOver: status != nil)
    }

    private static func readable(_ descriptor: CInt) -> pollfd {
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }

    private static func isReadable(_ descriptor: CInt) -> Bool {
        var wanted = readable(descriptor)
        return unsafe poll(&wanted, 1, 0) > 0
    }

    /// Forwards the signals that have arrived, except those that the terminal has also sent to the command.
    private mutating func forwardSignals() {
        let fromKernel: CInt = 0x80
        var signal = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while unsafe read(signals, &signal, size) == size {
            let number = CInt(signal.ssi_signo)
            guard number != SIGCHLD else { continue }
            received = number
            // The kernel sends a terminal's signals to the command too. A hangup might not reach it, but a second one
            // does no harm. Once we have waited for the command, its process ID can belong to another process.
            guard signal.ssi_code != fromKernel || number == SIGHUP, status == nil else { continue }
            // The sender of such a signal doesn't know what the command has started.
            if limit == nil { kill(processID, number) } else { limit?.descendants.signal(number) }
        }
    }
}

/// The way in which a command has ended.
struct ChildEnd {
    /// The exit code as a shell reports it: 128 + N for signal N.
    let exitCode: Int32
    private let signal: CInt
    /// The last signal that was sent to us; 0 for none.
    private let received: CInt
    /// Whether the command died of a signal that was sent to us too.
    let isOurs: Bool
    /// Whether we ended the command because it ran for too long.
    let isOverdue: Bool

    /// - Parameters:
    ///   - status: the status from `waitpid(2)`.
    ///   - received: the last signal that was sent to us.
    init(status: CInt, received: CInt, isOverdue: Bool = false) {
        self.isOverdue = isOverdue
        self.received = received
        signal = status & 0x7F
        let code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        // As timeout(1) ends for a command that runs too long.
        exitCode = isOverdue && code == 0 ? 124 : code
        isOurs = signal != 0 && signal == received
    }

    /// Whether the command failed after a signal that was sent to us, which it can have caught.
    var isInterrupted: Bool { received != 0 && exitCode != 0 }

    /// Ends this process as the command ended: by the same signal if that was sent to us too.
    func propagate() -> Never {
        if isOurs { endWithSignal() }
        exit(exitCode)
    }

    /// Ends this process by the last signal that was sent to it.
    func endWithSignal() -> Never {
        Console.writeLastWords()
        // This process did not crash, so it dumps no core. If a program receives cores through a pipe, the kernel
        // obeys only a limit of 1.
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        unsafe setrlimit(__rlimit_resource_t(4), &limit)
        Glibc.signal(received, SIG_DFL)
        var only = sigset_t()
        unsafe sigemptyset(&only)
        unsafe sigaddset(&only, received)
        raise(received)
        unsafe sigprocmask(SIG_UNBLOCK, &only, nil)
        exit(128 + received)
    }
}
