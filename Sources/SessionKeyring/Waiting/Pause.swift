import Glibc

/// A pause before another attempt or another look.
enum Pause {
    /// Blocks the thread; if a signal ends the pause early, this only means an earlier attempt.
    static func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        unsafe nanosleep(&time, nil)
    }

    /// Suspends the task.
    ///
    /// - Throws: `CancellationError` if the pause is cancellable and the task is cancelled.
    nonisolated(nonsending) static func suspend(_ duration: Duration, isCancellable: Bool) async throws {
        if isCancellable { return try await Task.sleep(for: duration) }
        // A separate task is not cancelled together with the caller's.
        try await Task { try await Task.sleep(for: duration) }.value
    }
}
