import Dispatch

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
