/// Puts events into the stream, and reports the events that the stream drops.
///
/// If the stream's buffer is full, it silently drops its oldest event.
final class EventDelivery: Sendable {
    private let continuation: AsyncStream<KeyEvent>.Continuation
    private let sinceReport = LockBox(KeyWatcher.queueCapacity)

    init(to continuation: AsyncStream<KeyEvent>.Continuation) {
        self.continuation = continuation
    }

    /// Puts an event into the stream, with a report of the loss if the stream drops one.
    ///
    /// A report that was added less than half a buffer ago is enough: it is still in the buffer. If the reader had
    /// taken it, the buffer would not be full.
    func yield(_ event: KeyEvent) {
        let dropped = if case .dropped = continuation.yield(event) { true } else { false }
        let isToReport = sinceReport.withLock { count in
            count += 1
            guard dropped, count > KeyWatcher.queueCapacity / 2 else { return false }
            count = 0
            return true
        }
        if isToReport { continuation.yield(KeyEvent(key: nil, change: .eventsLost)) }
    }
}
