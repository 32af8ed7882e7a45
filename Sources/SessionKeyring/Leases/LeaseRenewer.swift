import Dispatch

/// Renews a lease when a third of its time has passed: from a loop that waits for something else anyway, so that the process
/// may fork; or from a thread of its own.
///
/// A holder that is stopped loses its lease in both cases.
package struct LeaseRenewer: Sendable {
    package let lease: any LeaseHandle
    private let duration: Duration
    private var due: BootTime

    package init(_ lease: any LeaseHandle, lasting duration: Duration) {
        self.lease = lease
        self.duration = duration
        due = Self.nextTime(duration)
    }

    /// Names a child of this process that may outlive it: until that ends too, nobody takes the lease for a dead holder's.
    ///
    /// - Returns: false if the lease may be somebody else's, or is not in the kernel.
    package func name(command processID: Int32) throws(SecretStoreError) -> Bool {
        // Casts to classes: a cast to a protocol would search all conformances of the program.
        let held = (lease as? FetchLease)?.lease ?? lease
        return try (held as? KernelLease)?.name(command: processID) ?? false
    }

    /// How long until it is due, as `poll(2)` takes it.
    package var millisecondsLeft: Int32 {
        let (seconds, attoseconds) = due.since(.now()).components
        return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    package mutating func renewIfDue() {
        guard due <= .now() else { return }
        due = Self.nextTime(duration)
        Self.renew(lease, lasting: duration)
    }

    /// Renews it for as long as what is returned lives.
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

/// Calls something after a while, once or again and again, for as long as this value lives.
///
/// On a thread of its own kind: those of tasks may all be busy, and those of Dispatch's shared queues with them.
final class BackgroundTimer: Sendable {
    // Dispatch sources may be used from any thread; their type does not say so.
    private nonisolated(unsafe) let source: any DispatchSourceTimer

    /// - Parameter duration: at most some years.
    init(after duration: Duration, repeats: Bool = false, _ call: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "skr timer"))
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
