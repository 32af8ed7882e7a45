import Keyutils

/// Waits until the kernel has freed the quota of everything that was unlinked before.
enum GracePeriods {
    /// The number of grace periods to wait for; in measurements, the quota was free after seven at most.
    private static let count = 10
    private static let waiters = LockBox<[CheckedContinuation<Void, Never>]>([])

    /// Waits, blocking the thread.
    static func pass() {
        for _ in 0..<count where !GracePeriod.pass() { return }
    }

    /// Waits, suspending the task.
    ///
    /// All waiting tasks share one thread. It belongs neither to the tasks' thread pool nor to Dispatch's queues.
    nonisolated(nonsending) static func passInTask() async {
        await withCheckedContinuation { waiter in
            let isFirst = waiters.withLock { waiters in
                waiters.append(waiter)
                return waiters.count == 1
            }
            guard isFirst, !BriefThread.start(passForAll) else { return }
            // Also those that came in the meantime: nobody else would resume them.
            var count = waiters.withLock(\.count)
            while count > 0 { count = resume(count) }
        }
    }

    private static func passForAll() {
        // A task that begins to wait during one pass waits for the next pass.
        var count = waiters.withLock(\.count)
        while count > 0 {
            pass()
            count = resume(count)
        }
    }

    /// Resumes the first `count` waiting tasks, and returns how many are left.
    private static func resume(_ count: Int) -> Int {
        let (first, left) = waiters.withLock { waiters in
            defer { waiters.removeFirst(count) }
            return (waiters.prefix(count), waiters.count - count)
        }
        for waiter in first { waiter.resume() }
        return left
    }
}
