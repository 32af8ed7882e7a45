/// Puts events into the stream.
///
/// A full stream drops its oldest event and reports nothing, so the report is added here.
final class EventDelivery: Sendable {
    private let continuation: AsyncStream<KeyEvent>.Continuation
    private let sinceReport = LockBox(KeyWatcher.queueCapacity)

    init(to continuation: AsyncStream<KeyEvent>.Continuation) {
        self.continuation = continuation
    }

    /// Whenever an event is dropped, a report of the loss is in the buffer.
    ///
    /// One that was put there less than half a buffer ago still is: had it been taken, the buffer would not be full.
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
