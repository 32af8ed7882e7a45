import CKeyutils
import Dispatch
import Glibc

/// Watches keys and keyrings, and delivers their changes as an asynchronous sequence.
///
/// A watched keyring reports links, unlinks and clearing. To see changes of a member in place, watch the member. **The
/// kernel reports nothing when a key expires.** If more than ``queueCapacity`` events wait for the reader, some are
/// lost, and the sequence reports ``KeyEvent/Change/eventsLost``.
///
/// The corresponding C function is `keyctl_watch_key(3)`, on a pipe made with `pipe2(2)` and `O_NOTIFICATION_PIPE`.
public final class KeyWatcher: Sendable {
    /// How many events the kernel keeps for a slow reader.
    public static let queueCapacity = 256

    /// The events, in the order in which the kernel saw them.
    ///
    /// The sequence has a single consumer and ends when the watcher is deallocated.
    public let events: AsyncStream<KeyEvent>

    private let queue: KeyEventQueue
    // Dispatch sources can be used from any thread, but their type isn't Sendable.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// Creates a watcher that watches nothing yet.
    ///
    /// - Throws: ``KeyringError`` with `unsupported` if the kernel has no watch queue, or `other` if the process has no
    ///   file descriptor left.
    public init() throws(KeyringError) {
        let queue = try KeyEventQueue()
        let (events, continuation) = AsyncStream.makeStream(
            of: KeyEvent.self, bufferingPolicy: .bufferingNewest(Self.queueCapacity)
        )
        let delivery = EventDelivery(to: continuation)
        let source = DispatchSource.makeReadSource(fileDescriptor: queue.descriptor)
        source.setEventHandler { Self.drain(queue.descriptor, into: delivery) }
        source.setCancelHandler {
            // Only now has Dispatch stopped using the descriptor.
            withExtendedLifetime(queue) { continuation.finish() }
        }
        source.activate()
        self.queue = queue
        unsafe self.source = source
        self.events = events
    }

    deinit {
        unsafe source.cancel()
    }

    /// Starts watching a key or keyring.
    ///
    /// Watching the same key again is an error.
    ///
    /// Needs *view* permission.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, `expired`, `revoked`, `accessDenied`, `unsupported`, or `other`
    ///   (`EBUSY`) if the key is already watched.
    ///
    /// The corresponding C function is `keyctl_watch_key(3)`.
    public func watch(_ key: Key) throws(KeyringError) {
        try queue.watch(key)
    }

    /// Stops watching a key or keyring.
    ///
    /// - Throws: ``KeyringError`` with `notFound`, or `other` (`EBADSLT`) if the key is not watched.
    ///
    /// The corresponding C function is `keyctl_watch_key(3)` with -1.
    public func stopWatching(_ key: Key) throws(KeyringError) {
        try systemCall(.watch) { keyctl_watch_key(key.serial.rawValue, queue.descriptor, -1) }
    }

    private static func drain(_ descriptor: CInt, into delivery: EventDelivery) {
        var buffer: InlineArray<1_024, UInt32> = .init(repeating: 0)
        while true {
            let size = 1_024 * MemoryLayout<UInt32>.size
            var span = buffer.mutableSpan
            let count = unsafe span.withUnsafeMutableBufferPointer { unsafe read(descriptor, $0.baseAddress, size) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            forEachRecord(in: buffer, words: count / MemoryLayout<UInt32>.size) { delivery.yield($0) }
        }
    }

    /// Calls `body` with each record of the buffer.
    ///
    /// A record starts with its type and a word whose lowest seven bits are the record's length in bytes.
    private static func forEachRecord(
        in buffer: borrowing InlineArray<1_024, UInt32>, words: Int, _ body: (KeyEvent) -> Void
    ) {
        var start = 0
        while start + 1 < words {
            let length = Int(buffer[start + 1] & 0x7F) / MemoryLayout<UInt32>.size
            guard length >= 2, start + length <= words else { return }
            let key = length > 2 ? buffer[start + 2] : 0
            let auxiliary = length > 3 ? buffer[start + 3] : 0
            body(KeyEvent(words: (type: buffer[start], key: key, auxiliary: auxiliary)))
            start += length
        }
    }
}
