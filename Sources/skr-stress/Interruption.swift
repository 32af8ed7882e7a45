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

    /// From now on.
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
        for number in [SIGINT, SIGTERM] where !isIgnored(number) {
            unsafe sigaction(number, &action, nil)
        }
    }

    /// As a shell sets it for what it starts in the background.
    private static func isIgnored(_ number: CInt) -> Bool {
        var current = sigaction()
        guard unsafe sigaction(number, nil, &current) == 0 else { return false }
        return unsafe unsafeBitCast(current.__sigaction_handler.sa_handler, to: UInt.self)
            == unsafeBitCast(SIG_IGN, to: UInt.self)
    }
}
