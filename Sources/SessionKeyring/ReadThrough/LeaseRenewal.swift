import Dispatch

/// Renews a lease every now and then, for as long as this value lives.
///
/// On a thread of its own kind: those of tasks may all be busy, and those of Dispatch's shared queues with them.
final class LeaseRenewal: Sendable {
    // Dispatch sources may be used from any thread; their type does not say so.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    init(of lease: any HeldLease, lasting duration: Duration) {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "skr lease renewal"))
        let (seconds, attoseconds) = (duration / 3).components
        let interval = DispatchTimeInterval.nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler {
            // A lease that was lost stays so: whoever holds it finds out when it matters.
            _ = try? lease.renew(lasting: duration)
        }
        timer.activate()
        unsafe self.timer = timer
    }

    deinit {
        unsafe timer.cancel()
    }
}
