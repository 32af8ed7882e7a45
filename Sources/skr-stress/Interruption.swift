import CommandSupport
import Glibc
import Synchronization

/// Lets the first Ctrl-C or SIGTERM end the run, and the second one end the process.
enum Interruption {
    private static let first = Atomic<CInt>(0)

    /// The first signal that has arrived; `nil` before that.
    static var signal: CInt? {
        let number = first.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    static func watch() {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            guard !Interruption.first.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged else {
                let notice: StaticString = "ending the run and checking it; press Ctrl-C again to stop immediately\n"
                let code = errno
                _ = unsafe write(STDERR_FILENO, notice.utf8Start, notice.utf8CodeUnitCount)
                errno = code
                return
            }
            // The signal is blocked in this handler, and takes effect right after it.
            _ = Glibc.signal(number, SIG_DFL)
            raise(number)
        }
        action.sa_flags = SA_RESTART
        for number in [SIGINT, SIGTERM] where !SignalAction.isIgnored(number) {
            unsafe sigaction(number, &action, nil)
        }
    }
}
