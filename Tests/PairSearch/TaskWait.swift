import Dispatch
import Threads

/// Runs `body` in a task, and blocks the calling thread until the task has ended.
func waitForTask<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let hasEnded = DispatchSemaphore(value: 0)
    let result = Locked<Result<Value, any Error>?>(nil)
    Task.detached {
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        result.withLock { $0 = outcome }
        hasEnded.signal()
    }
    hasEnded.wait()
    guard let outcome = result.withLock(\.self) else { throw CancellationError() }
    return try outcome.get()
}
