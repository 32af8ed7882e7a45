import CProcess
import CommandSupport
import Glibc
import SessionKeyring
import SystemPackage

/// A command that runs as our child while a lease is renewed: it gets the signals that are sent to us, and is killed if
/// we are.
struct ChildCommand: ~Copyable {
    private let processID: pid_t
    private let signals: CInt
    private var status: CInt?
    private var received: CInt = 0
    private var renewer: LeaseRenewer

    /// Starts the command, with our own standard input and output where none are given.
    init(
        _ command: CommandLineWords,
        environment: EnvironmentBlock = EnvironmentBlock(),
        input: FileDescriptor? = nil,
        output: FileDescriptor? = nil,
        holding signals: BlockedSignals,
        renewer: LeaseRenewer
    ) throws(CommandError) {
        var (blocked, before) = (signals.blocked, signals.before)
        // Before the child starts, because without it no signal could reach the child, nor its end us.
        let arrivals = unsafe signalfd(-1, &blocked, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        guard arrivals >= 0 else { throw Launch.cannotForwardSignals(to: command, .last) }
        var failure = child_failure()
        var child: pid_t = 0
        unsafe environment.withPointers { variables in
            unsafe withUnsafePointer(to: &before) { mask in
                var setup = unsafe child_setup(
                    words: command.pointers, environment: variables, input: input?.rawValue ?? -1,
                    output: output?.rawValue ?? -1, mask: mask)
                LookupThread.onFirstThread { child = unsafe start_child(&setup, &failure) }
            }
        }
        guard child > 0 else {
            close(arrivals)
            throw Launch.failure(of: command, failure)
        }
        processID = child
        self.renewer = renewer
        // If we are killed, the lease must not be free while the command still runs. An error is noticed at the
        // release.
        _ = try? renewer.name(command: child)
        self.signals = arrivals
    }

    deinit {
        close(signals)
    }

    /// Waits until something can be read there.
    mutating func wait(for file: FileDescriptor) {
        while true {
            var wanted = [Self.readable(file.rawValue), Self.readable(signals)]
            let count = unsafe poll(&wanted, 2, renewer.millisecondsLeft)
            renewer.renewIfDue()
            guard count > 0 else { continue }
            if wanted[1].revents != 0 { forwardSignals() }
            if wanted[0].revents != 0 { return }
        }
    }

    /// Waits until it has ended.
    mutating func waitForEnd() -> ChildEnd {
        while true {
            // First, because a signal that came just before the command's end would be lost otherwise.
            forwardSignals()
            if let status { return ChildEnd(status: status, received: received) }
            var status: CInt = 0
            let ended = unsafe waitpid(processID, &status, WNOHANG)
            if ended == processID {
                self.status = status
                continue
            }
            var wanted = [Self.readable(signals)]
            _ = unsafe poll(&wanted, 1, renewer.millisecondsLeft)
            renewer.renewIfDue()
        }
    }

    private static func readable(_ descriptor: CInt) -> pollfd {
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }

    /// Forwards the signals that have come, except those that the terminal has sent to the command as well.
    private mutating func forwardSignals() {
        let fromKernel: CInt = 0x80
        var signal = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while unsafe read(signals, &signal, size) == size {
            let number = CInt(signal.ssi_signo)
            guard number != SIGCHLD else { continue }
            received = number
            // The kernel sends a terminal's signals to the command too, except maybe a hangup, which does no harm
            // twice. After the command was waited for, its process ID may belong to another process.
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
    /// Whether it died of a signal that was sent to us too.
    let isOurs: Bool

    /// - Parameters:
    ///   - status: as `waitpid(2)` gives it.
    ///   - received: the last signal that came for us.
    init(status: CInt, received: CInt) {
        signal = status & 0x7F
        exitCode = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        isOurs = signal != 0 && signal == received
    }

    /// Ends this process as the command ended; by the same signal if that was sent to us too.
    func propagate() -> Never {
        if isOurs {
            // This process did not crash, so it dumps no core. For a core pipe, the kernel heeds only a limit of 1.
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            unsafe setrlimit(__rlimit_resource_t(4), &limit)
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
