import CProcess
import CommandSupport
import Glibc
import SecretService

/// How long a service runs: as long as its leader, as it is needed, and as its clients call.
struct Lifetime {
    /// How often a service looks whether it is needed: the kernel does not tell us when a keyring is revoked.
    private static let interval = Duration.seconds(2)

    private let leader: CInt
    private let signals: CInt
    private let idle: Duration?

    /// - Parameter leader: a descriptor of the process with which the service ends, from `watch_process`.
    init(leader: CInt, idle: Duration?) throws(CommandError) {
        (self.leader, self.idle) = (leader, idle)
        var wanted = sigset_t()
        unsafe sigemptyset(&wanted)
        for number in [SIGTERM, SIGINT, SIGHUP] where !SignalAction.isIgnored(number) {
            unsafe sigaddset(&wanted, number)
        }
        unsafe sigprocmask(SIG_BLOCK, &wanted, nil)
        signals = unsafe signalfd(-1, &wanted, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        guard signals >= 0 else {
            throw .internalError(
                "can't receive signals: signalfd(2) has failed", hint: "check the limit of open files: ulimit -n")
        }
    }

    func run(_ server: SecretServer, while isNeeded: () -> Bool) {
        var check = ContinuousClock.now
        while !server.isOver {
            if server.serve(until: check, or: [leader, signals]) { return }
            let now = ContinuousClock.now
            guard now >= check else { continue }
            check = now + Self.interval
            if !isNeeded() { return }
            if let idle, now - server.lastCall >= idle { return }
        }
    }
}
