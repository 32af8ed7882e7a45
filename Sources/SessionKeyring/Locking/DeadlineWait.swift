/// Waiting for what somebody else holds or fetches: until the kernel tells of a change, where it does, else for pauses that
/// grow from 1 to 50 ms.
package struct DeadlineWait {
    private let giveUp: BootTime
    private let backend: any SecretBackend
    private var backoff = Backoff.long
    private var signal: ChangeSignal??

    /// - Parameters:
    ///   - limit: how long to wait in all.
    ///   - backend: where the change is expected.
    package init(_ limit: Duration, at backend: any SecretBackend) {
        self.giveUp = BootTime.now() + BootTime(limit)
        self.backend = backend
    }

    /// Waits a while, keeping the thread; false once its deadline has passed.
    package mutating func wait() -> Bool {
        guard let left = timeLeft() else { return false }
        // Made before the first look that follows, so that nothing is missed.
        guard let signal else {
            self.signal = .some(ChangeSignal(backend))
            return true
        }
        if let signal {
            signal.wait(upTo: left)
        } else {
            Pause(duration: min(backoff.next(), left)).sleep()
        }
        return true
    }

    /// Waits a while, keeping no thread; false once its deadline has passed.
    ///
    /// - Throws: ``SecretStoreError`` with `cancelled`.
    mutating func waitInTask() async throws(SecretStoreError) -> Bool {
        if Task.isCancelled { throw SecretStoreError(.cancelled) }
        guard let left = timeLeft() else { return false }
        guard let signal else {
            self.signal = .some(ChangeSignal(backend))
            return true
        }
        if let signal {
            await signal.waitInTask(upTo: left)
            if Task.isCancelled { throw SecretStoreError(.cancelled) }
        } else {
            try await Pause(duration: min(backoff.next(), left)).sleepInTask()
        }
        return true
    }

    private func timeLeft() -> Duration? {
        let left = giveUp.since(.now())
        return left > .zero ? left : nil
    }
}
