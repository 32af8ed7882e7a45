import Glibc

/// A time to wait until it is worth looking again.
struct Pause {
    let duration: Duration

    /// Keeps the thread.
    func sleep() {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // A signal may cut it short, which only means to look earlier.
        unsafe nanosleep(&time, nil)
    }

    /// Keeps no thread.
    ///
    /// - Throws: ``SecretStoreError`` with `cancelled`.
    func sleepInTask() async throws(SecretStoreError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw SecretStoreError(.cancelled)
        }
    }
}
