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

/// Waiting for a lease that somebody holds, until patience is at an end.
struct LeaseWait {
    private let giveUp: BootTime
    private var backoff = Backoff.unhurried

    init(patience: Duration) {
        giveUp = BootTime.now() + BootTime(patience)
    }

    /// The pause before the next look; `nil` once that would be too late.
    mutating func nextPause() -> Pause? {
        let now = BootTime.now()
        guard now < giveUp else { return nil }
        let left = Duration.nanoseconds(Int64(giveUp.nanoseconds - now.nanoseconds))
        return Pause(duration: min(backoff.next(), left))
    }
}
