import CProcess
import CommandSupport
import Glibc
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
    /// How long a command has to end after SIGTERM, before it is killed.
    static let grace = Duration.seconds(5)

    private let processID: pid_t
    private let signals: CInt
    /// Whether the child leads its own process group, which then gets the signals.
    private let leadsGroup: Bool
    private var status: CInt?
    private var received: CInt = 0
    private var renewer: LeaseRenewer
    private let isLimited: Bool
    /// When to end the command, and the signal for it; `nil` for never, or after the last signal.
    private var next: (time: ContinuousClock.Instant, signal: CInt)?
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
        var child: pid_t = 0
        // With a terminal, the command stays in our process group, so that the terminal's keys and `fg` reach both.
        let leadsGroup = settings.limit != nil && !Console.hasTerminal
        unsafe settings.environment.withPointers { variables in
            unsafe withUnsafePointer(to: &before) { mask in
                unsafe settings.folder.withCString { folder in
                    var setup = unsafe child_setup(
                        words: command.pointers, environment: variables, input: input?.rawValue ?? -1,
                        output: output?.rawValue ?? -1, mask: mask, folder: folder, leads_group: leadsGroup ? 1 : 0)
                    LookupThread.onFirstThread { child = unsafe start_child(&setup, &failure) }
                }
            }
        }
        guard child > 0 else {
            close(arrivals)
            throw Launch.failure(of: command, failure)
        }
        processID = child
        self.leadsGroup = leadsGroup
        isLimited = settings.limit != nil
        self.renewer = renewer
        next = settings.limit.map { (.now + $0, SIGTERM) }
        // If we are killed, the lease must not be free while the command still runs. If this fails, the
        // release notices it.
        _ = try? renewer.name(command: child)
        self.signals = arrivals
    }

    deinit {
        close(signals)
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
            endIfDue()
            if isLimited, next == nil, let null = try? unsafe FileDescriptor.open("/dev/null", .readOnly) {
                _ = try? null.closeAfter { try null.duplicate(as: file) }
                return
            }
            guard count > 0 else { continue }
            if wanted[1].revents != 0 { forwardSignals() }
            if wanted[0].revents != 0 { return }
        }
    }

    /// Waits until the command has ended; forwards signals and renews the lease in the meantime.
    mutating func waitForEnd() -> ChildEnd {
        while true {
            // This comes first, because a signal that arrived just before the command's end would be lost otherwise.
            forwardSignals()
            if let status { return ChildEnd(status: status, received: received, isOverdue: isOverdue) }
            var status: CInt = 0
            let ended = unsafe waitpid(processID, &status, WNOHANG)
            if ended == processID {
                self.status = status
                continue
            }
            var wanted = [Self.readable(signals)]
            _ = unsafe poll(&wanted, 1, millisecondsLeft)
            renewer.renewIfDue()
            endIfDue()
        }
    }

    /// How long `poll(2)` can wait.
    private var millisecondsLeft: Int32 {
        guard let next else { return renewer.millisecondsLeft }
        let (seconds, attoseconds) = (next.time - .now).components
        return min(renewer.millisecondsLeft, Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1))
    }

    /// Ends the command if it has run for too long: first with SIGTERM, and later with SIGKILL.
    private mutating func endIfDue() {
        guard let (time, signal) = next, time <= .now else { return }
        if status == nil {
            // If it has ended, a program that it started still has its output open.
            if has_ended(processID) == 0 { isOverdue = true }
            send(signal)
        }
        next = signal == SIGTERM ? (.now + Self.grace, SIGKILL) : nil
    }

    private func send(_ signal: CInt) { kill(leadsGroup ? -processID : processID, signal) }

    private static func readable(_ descriptor: CInt) -> pollfd {
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
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
            let isForUsAlone = leadsGroup || signal.ssi_code != fromKernel || number == SIGHUP
            if isForUsAlone, status == nil { send(number) }
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
