import CKeyutils
import CLinux
import Dispatch
import Glibc

/// A kernel queue of key events, for callers that only need to know that something has changed.
package final class KeyEventQueue: Sendable {
    package let descriptor: CInt
    private let writeEnd: CInt

    /// - Throws: ``KeyringError`` with `unsupported` if the kernel has no watch queue, or `other` if the process has no
    ///   file descriptor left.
    package init() throws(KeyringError) {
        (descriptor, writeEnd) = try Self.open()
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    package func watch(_ key: Key) throws(KeyringError) {
        try systemCall(.watch) { keyctl_watch_key(key.serial.rawValue, descriptor, 0) }
    }

    /// Waits for an event or until the time has passed, and removes all events from the queue.
    ///
    /// The calling thread blocks.
    package func wait(upTo duration: Duration) {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // A signal can end the wait early, which is harmless: the caller looks again earlier.
        _ = unsafe poll(&wanted, 1, CInt(clamping: duration.milliseconds))
        drain()
    }

    /// Waits for an event, the time to pass, or the task's cancellation, and removes all events from the queue.
    ///
    /// No thread blocks.
    package func waitInTask(upTo duration: Duration) async {
        let once = LockBox<CheckedContinuation<Void, Never>?>(nil)
        let queue = DispatchQueue(label: "skr key events")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        @Sendable func end() {
            let waiter = once.withLock { waiter in
                defer { waiter = nil }
                return waiter
            }
            waiter?.resume()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                once.withLock { $0 = waiter }
                source.setEventHandler { end() }
                source.activate()
                queue.asyncAfter(deadline: .now() + .milliseconds(Int(duration.milliseconds))) { end() }
                if Task.isCancelled { end() }
            }
        } onCancel: {
            end()
        }
        await stop(source)
        drain()
    }

    /// Cancels the source, and waits until Dispatch no longer uses the descriptor.
    private func stop(_ source: any DispatchSourceRead) async {
        await withCheckedContinuation { waiter in
            source.setCancelHandler { waiter.resume() }
            source.cancel()
        }
    }

    private func drain() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 8) { buffer in
            while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }

    /// Opens a notification pipe.
    ///
    /// Nobody writes to the other end, but it has to stay open: otherwise, the pipe is hung up, and Dispatch stops
    /// watching such a descriptor.
    private static func open() throws(KeyringError) -> (readEnd: CInt, writeEnd: CInt) {
        // From <linux/watch_queue.h>, which Swift can't import: O_NOTIFICATION_PIPE (equal to
        // O_EXCL) and an ioctl macro.
        let setSize: UInt = 0x5760
        var ends: InlineArray<2, CInt> = [-1, -1]
        try systemCall(.watch) {
            var span = ends.mutableSpan
            return unsafe span.withUnsafeMutableBufferPointer {
                unsafe pipe2($0.baseAddress, O_EXCL | O_CLOEXEC | O_NONBLOCK)
            }
        }
        do throws(KeyringError) {
            try systemCall(.watch) { ioctl(ends[0], setSize, CInt(KeyWatcher.queueCapacity)) }
        } catch {
            close(ends[0])
            close(ends[1])
            throw error
        }
        return (ends[0], ends[1])
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up.
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
