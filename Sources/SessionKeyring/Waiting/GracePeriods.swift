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
            // The thread takes all who came while it waited: for the last of them it may have waited for too short a time, but
            // those have seen another attempt fail before.
            if isFirst, !startThread() { resumeAll() }
        }
    }

    private static func startThread() -> Bool {
        var thread = pthread_t()
        let error = unsafe pthread_create(
            &thread, nil,
            { _ in
                GracePeriods.pass()
                GracePeriods.resumeAll()
                return nil
            }, nil)
        guard error == 0 else { return false }
        pthread_detach(thread)
        return true
    }

    private static func resumeAll() {
        let all = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in all { waiter.resume() }
    }
}
