import Glibc

/// A pause before another attempt or another look.
enum Pause {
    /// Blocks the thread; a signal may end it early, which only means an earlier look.
    static func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        unsafe nanosleep(&time, nil)
    }

    /// Suspends the task.
    ///
    /// - Throws: `CancellationError` if it is cancellable.
    nonisolated(nonsending) static func suspend(_ duration: Duration, isCancellable: Bool) async throws {
        if isCancellable { return try await Task.sleep(for: duration) }
        // A task of its own is not cancelled with the caller's.
        try await Task { try await Task.sleep(for: duration) }.value
    }
}
