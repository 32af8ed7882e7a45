import Dispatch
import Keyutils

/// Waiting in all for quota that is given back late: for a time, then for the kernel to have had its turn, which takes longer
/// on a busy machine.
package struct QuotaWait {
    private var time: DeadlineWait
    private var hasKernelHadItsTurn = false

    package init(backoff: Backoff) {
        time = DeadlineWait(RetryBudget.fullQuota, backoff: backoff)
    }

    /// Waits a while, keeping the thread; false once nothing more is to be expected.
    package mutating func wait() -> Bool {
        if time.wait() { return true }
        guard !hasKernelHadItsTurn else { return false }
        hasKernelHadItsTurn = true
        return Self.passGracePeriods()
    }

    /// Waits a while, keeping no thread of the task's; false once nothing more is to be expected.
    ///
    /// - Throws: `CancellationError`.
    package nonisolated(nonsending) mutating func waitInTask() async throws -> Bool {
        if try await time.waitInTask() { return true }
        guard !hasKernelHadItsTurn else { return false }
        hasKernelHadItsTurn = true
        return await withCheckedContinuation { waiter in
            DispatchQueue.global().async { waiter.resume(returning: Self.passGracePeriods()) }
        }
    }

    private static func passGracePeriods() -> Bool {
        (0..<RetryBudget.gracePeriods).allSatisfy { _ in GracePeriod.pass() }
    }
}
