/// Renews a lease when a third of its time has passed: from a loop that waits for something else anyway, or from a thread of
/// its own.
package struct LeaseRenewer: Sendable {
    package let lease: any LeaseHandle
    private let duration: Duration
    private var due: BootTime

    package init(_ lease: any LeaseHandle, lasting duration: Duration) {
        self.lease = lease
        self.duration = duration
        due = Self.nextTime(duration)
    }

    /// How long until it is due.
    package var timeLeft: Duration { due.since(.now()) }

    package mutating func renewIfDue() {
        guard timeLeft == .zero else { return }
        due = Self.nextTime(duration)
        Self.renew(lease, lasting: duration)
    }

    /// Renews it for as long as what is returned lives; a process that is stopped loses it even so.
    static func inBackground(_ lease: any LeaseHandle, lasting duration: Duration) -> BackgroundTimer {
        BackgroundTimer(after: duration / 3, repeats: true) { renew(lease, lasting: duration) }
    }

    private static func nextTime(_ duration: Duration) -> BootTime {
        .now() + BootTime(max(.milliseconds(1), duration / 3))
    }

    /// A lease that was lost stays so, and is found out when it matters; any other trouble may be over next time.
    private static func renew(_ lease: any LeaseHandle, lasting duration: Duration) {
        _ = try? lease.renew(lasting: duration)
    }
}
