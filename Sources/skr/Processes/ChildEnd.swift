import Glibc

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
