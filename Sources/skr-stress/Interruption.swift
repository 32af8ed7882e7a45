import CommandSupport
import Glibc
import Synchronization

/// The first Ctrl-C or SIGTERM ends the run; the second one ends the process.
enum Interruption {
    private static let first = Atomic<CInt>(0)

    /// The signal that has come; `nil` for none.
    static var signal: CInt? {
        let number = first.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    static func watch() {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            guard !Interruption.first.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged else {
                return
            }
            // It is blocked in this handler, and takes effect right after it.
            _ = Glibc.signal(number, SIG_DFL)
            raise(number)
        }
        action.sa_flags = SA_RESTART
        for number in [SIGINT, SIGTERM] where !SignalAction.isIgnored(number) {
            unsafe sigaction(number, &action, nil)
        }
    }
}
