import Dispatch

/// Renews a lease whenever a third of its duration has passed.
///
/// It runs in one of two ways: in a loop that waits for something else anyway, so that the process can fork; or in the
/// background, on the timers' thread. In both cases, a holder that is stopped loses its lease.
package struct LeaseRenewer: Sendable {
    package let lease: any LeaseHandle
    private let duration: Duration
    private var due: BootTime

    package init(_ lease: any LeaseHandle, lasting duration: Duration) {
        self.lease = lease
        self.duration = duration
        due = Self.nextTime(duration)
    }

    /// Records a child of this process that may outlive it.
    ///
    /// As long as the child runs, no process takes over the lease as a dead holder's.
    ///
    /// - Returns: false if somebody else may have the lease, or if it is not in the kernel.
    package func name(command processID: Int32) throws(SecretStoreError) -> Bool {
        try lease.name(command: processID)
    }

    /// How long until the next renewal, in milliseconds for `poll(2)`.
    package var millisecondsLeft: Int32 {
        let (seconds, attoseconds) = due.since(.now()).components
        return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    package mutating func renewIfDue() {
        guard due <= .now() else { return }
        due = Self.nextTime(duration)
        Self.renew(lease, lasting: duration)
    }

    /// Renews the lease in the background, for as long as the returned timer lives.
    static func inBackground(_ lease: any LeaseHandle, lasting duration: Duration) -> BackgroundTimer {
        BackgroundTimer(after: duration / 3, repeats: true) { renew(lease, lasting: duration) }
    }

    private static func nextTime(_ duration: Duration) -> BootTime {
        .now() + BootTime(max(.milliseconds(1), duration / 3))
    }

    /// Renews the lease and ignores failures.
    ///
    /// A lost lease stays lost, and the holder finds out when it matters. Any other problem may be gone at the
    /// next renewal.
    private static func renew(_ lease: any LeaseHandle, lasting duration: Duration) {
        _ = try? lease.renew(lasting: duration)
    }
}

/// Calls a closure after a delay, once or repeatedly, for as long as this value lives.
///
/// The closures of all timers run one after the other, on one thread. It belongs neither to the tasks' thread pool nor
/// to Dispatch's shared queues, whose threads may all be busy. So a closure makes a few system calls at most, and none
/// that waits for others: the next one may renew a lease. Everything else runs on a ``BriefThread``, above all code of
/// callers, such as the handlers of a cancelled task.
///
/// If a process forks after its first timer, no timer ever fires in the child, not even one that the child starts.
/// Dispatch's threads exist only in the parent, and the child can't replace them. So such a child's leases aren't
/// renewed.
final class BackgroundTimer: Sendable {
    // A queue for each timer would need a thread for each timer. In a process that can't have another thread, Dispatch
    // waits for one, and so blocks the caller.
    private static let queue = DispatchQueue(label: "skr timers")
    // Dispatch sources can be used from any thread, but their type does not declare it.
    private nonisolated(unsafe) let source: any DispatchSourceTimer

    /// Starts the timer.
    ///
    /// - Parameter duration: a few years at most.
    init(after duration: Duration, repeats: Bool = false, _ call: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeTimerSource(queue: Self.queue)
        let (seconds, attoseconds) = duration.components
        let interval = DispatchTimeInterval.nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
        source.schedule(deadline: .now() + interval, repeating: repeats ? interval : .never)
        source.setEventHandler(handler: call)
        source.activate()
        unsafe self.source = source
    }

    deinit {
        unsafe source.cancel()
    }
}
