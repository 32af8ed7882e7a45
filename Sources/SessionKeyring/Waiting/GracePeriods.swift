import Dispatch
import Glibc
import Keyutils

/// Waiting until the kernel has freed the quota of everything that was unlinked before.
enum GracePeriods {
    /// At most seven of the kernel's grace periods were seen to pass before quota was free.
    private static let count = 10
    private static let waiters = LockBox<[CheckedContinuation<Void, Never>]>([])

    /// Blocks the thread.
    static func pass() {
        for _ in 0..<count where !GracePeriod.pass() { return }
    }

    /// Suspends the task; all that wait share one thread, which is neither of the tasks' pool nor of Dispatch's queues.
    nonisolated(nonsending) static func passInTask() async {
        await withCheckedContinuation { waiter in
            let isFirst = waiters.withLock { waiters in
                waiters.append(waiter)
                return waiters.count == 1
            }
            if isFirst, !startThread() { resume(waiters.withLock(\.count)) }
        }
    }

    private static func startThread() -> Bool {
        var thread = pthread_t()
        let error = unsafe pthread_create(
            &thread, nil,
            { _ in
                // A task that comes during a pass waits for the next one.
                var count = GracePeriods.waiters.withLock(\.count)
                while count > 0 {
                    GracePeriods.pass()
                    count = GracePeriods.resume(count)
                }
                return nil
            }, nil)
        guard error == 0 else { return false }
        pthread_detach(thread)
        return true
    }

    /// Resumes the first so many, and returns how many are left.
    @discardableResult
    private static func resume(_ count: Int) -> Int {
        let (first, left) = waiters.withLock { waiters in
            defer { waiters.removeFirst(count) }
            return (waiters.prefix(count), waiters.count - count)
        }
        for waiter in first { waiter.resume() }
        return left
    }
}
