import Dispatch
import Keyutils

/// A thread that keeps staged keys between the steps of an operation.
///
/// Staged keys are in the keyring of their thread, and a task can continue on any thread. So an operation that stages
/// keys before it waits for something else runs its steps here. When the thread ends, the kernel drops the keys that are
/// left.
final class StagingThread: Sendable {
    private final class Steps: Sendable {
        let waiting = LockBox<[@Sendable () -> Void]>([])
        let signal = DispatchSemaphore(value: 0)

        func runAll() {
            while true {
                signal.wait()
                guard let step = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
                step()
            }
        }
    }

    private let steps = Steps()

    /// Starts the thread, which runs until this value is released.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if the process can't have another thread.
    init() throws(SecretStoreError) {
        if !BriefThread.start({ [steps] in steps.runAll() }) { throw SecretStoreError(.noThread) }
    }

    deinit {
        // Without a step, the signal ends the thread.
        steps.signal.signal()
    }

    /// Runs one step on the thread, without blocking the caller's thread.
    ///
    /// - Throws: the error of `step`.
    func run<Output: Sendable>(
        _ step: @escaping @Sendable () throws(SecretStoreError) -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            steps.waiting.withLock { waiting in
                waiting.append { continuation.resume(with: Result { try step() }) }
            }
            steps.signal.signal()
        }
    }
}
