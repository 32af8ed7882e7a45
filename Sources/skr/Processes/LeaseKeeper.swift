import Glibc
import SessionKeyring

/// Renews a lease when it is time to, from the loop that waits for a command.
///
/// No thread does it, so that the process may fork, and so that a holder that is stopped loses its lease.
struct LeaseKeeper {
    let lease: any LeaseHandle
    private let duration: Duration
    private let interval: Int
    private var next: Int

    init(_ lease: any LeaseHandle, lasting duration: Duration) {
        self.lease = lease
        self.duration = duration
        let (seconds, attoseconds) = duration.components
        interval = max(1, (Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)) / 3)
        next = Self.now() + interval
    }

    var millisecondsLeft: CInt { CInt(clamping: max(0, next - Self.now())) }

    mutating func renewIfDue() {
        guard Self.now() >= next else { return }
        next = Self.now() + interval
        // A lease that was lost stays so, and is found out when it matters; any other trouble may be over next time.
        _ = try? lease.renew(lasting: duration)
    }

    private static func now() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
