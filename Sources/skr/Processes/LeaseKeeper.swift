import SessionKeyring

/// Renews a lease when it is time to, from the loop that waits for a command.
///
/// No thread does it, so that the process may fork, and so that a holder that is stopped loses its lease.
struct LeaseKeeper {
    let lease: any LeaseHandle
    private let duration: Duration
    /// On a clock that goes on while the machine sleeps, as the lease's does.
    private var next: ContinuousClock.Instant

    init(_ lease: any LeaseHandle, lasting duration: Duration) {
        self.lease = lease
        self.duration = duration
        next = .now + duration / 3
    }

    var millisecondsLeft: CInt { CInt(clamping: Int(max(0, (next - .now) / .milliseconds(1)).rounded(.up))) }

    mutating func renewIfDue() {
        guard .now >= next else { return }
        next = .now + duration / 3
        // A lease that was lost stays so, and is found out when it matters; any other trouble may be over next time.
        _ = try? lease.renew(lasting: duration)
    }
}
