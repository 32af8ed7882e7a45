import CProcess
import CommandSupport
import Glibc
import SystemPackage

/// A command that runs beside us and gets the signals that come for us, while a lease is renewed.
///
/// It is killed if we are.
struct ChildCommand: ~Copyable {
    private let processID: pid_t
    private let signals: CInt
    private var status: CInt?
    private var received: CInt = 0
    private var keeper: LeaseKeeper

    /// Starts it; without descriptors it has ours.
    init(
        _ command: CommandLineWords,
        environment: EnvironmentBlock = EnvironmentBlock(),
        input: FileDescriptor? = nil,
        output: FileDescriptor? = nil,
        holding signals: BlockedSignals,
        keeper: LeaseKeeper
    ) throws(CommandError) {
        var (blocked, before) = (signals.blocked, signals.before)
        var failure = child_failure()
        var child: pid_t = 0
        unsafe environment.withPointers { variables in
            unsafe withUnsafePointer(to: &before) { mask in
                var setup = unsafe child_setup(
                    words: command.pointers, environment: variables, input: input?.rawValue ?? -1,
                    output: output?.rawValue ?? -1, mask: mask)
                LookupThread.onFirstThread { child = unsafe start_child_or_tell(&setup, &failure) }
            }
        }
        guard child > 0 else { throw Launch.failure(of: command, failure) }
        processID = child
        self.keeper = keeper
        // Killed ourselves, we don't leave a lease behind that is free while the command goes on. One that was lost stays so.
        _ = try? keeper.lease.name(command: child)
        self.signals = unsafe signalfd(-1, &blocked, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    deinit {
        close(signals)
    }

    /// Waits until something can be read there.
    mutating func wait(for file: FileDescriptor) {
        while true {
            var wanted = [Self.readable(file.rawValue), Self.readable(signals)]
            let count = unsafe poll(&wanted, 2, keeper.millisecondsLeft)
            keeper.renewIfDue()
            guard count > 0 else { continue }
            if wanted[1].revents != 0 { passOn() }
            if wanted[0].revents != 0 { return }
        }
    }

    /// Waits until it has ended.
    mutating func waitForEnd() -> ChildEnd {
        while true {
            // Whatever came in before it ended; asked for afterwards, it could be lost.
            passOn()
            if let status { return ChildEnd(status: status, received: received) }
            var status: CInt = 0
            let ended = unsafe waitpid(processID, &status, WNOHANG)
            if ended == processID {
                self.status = status
                continue
            }
            var wanted = [Self.readable(signals)]
            _ = unsafe poll(&wanted, 1, keeper.millisecondsLeft)
            keeper.renewIfDue()
        }
    }

    private static func readable(_ descriptor: CInt) -> pollfd {
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }

    /// Hands on the signals that are there, but for those that the terminal has sent to it as well.
    private mutating func passOn() {
        let fromKernel: CInt = 0x80
        var signal = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while unsafe read(signals, &signal, size) == size {
            let number = CInt(signal.ssi_signo)
            guard number != SIGCHLD else { continue }
            received = number
            // A terminal's keys reach the command by themselves; its hangup may reach the session's leader alone, and coming
            // twice it does no harm. Once the command was waited for, its number may be another's.
            let isForUsAlone = signal.ssi_code != fromKernel || number == SIGHUP
            if isForUsAlone, status == nil { kill(processID, number) }
        }
    }
}

/// How a command has ended.
struct ChildEnd {
    /// As a shell says it: 128 + N for a signal.
    let exitCode: Int32
    private let signal: CInt
    /// Whether we were sent the signal that it died of.
    let isOurs: Bool

    /// - Parameters:
    ///   - status: as `waitpid(2)` gives it.
    ///   - received: the last signal that came for us.
    init(status: CInt, received: CInt) {
        signal = status & 0x7F
        exitCode = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        isOurs = signal != 0 && signal == received
    }

    /// Ends as the command did; of the same signal where that was meant for us.
    func propagate() -> Never {
        if isOurs {
            // Ours is not the crash that a core dump would be for.
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            unsafe setrlimit(__rlimit_resource_t(4), &none)
            Glibc.signal(signal, SIG_DFL)
            var only = sigset_t()
            unsafe sigemptyset(&only)
            unsafe sigaddset(&only, signal)
            raise(signal)
            unsafe sigprocmask(SIG_UNBLOCK, &only, nil)
        }
        exit(exitCode)
    }
}
