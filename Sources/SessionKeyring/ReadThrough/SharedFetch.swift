import Synchronization

/// Work whose result several may want: cancelling one who waits for it ends the wait, and not the work.
final class SharedFetch<Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, any Error>

    private enum State {
        case running(waiter: Waiter?)
        case cancelled
        case finished(Result<Value, any Error>)
    }

    private let state = Mutex(State.running(waiter: nil))

    /// Starts the work.
    init(_ work: @escaping @Sendable () async throws -> Value) {
        Task {
            let result: Result<Value, any Error>
            do {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            finish(with: result)
        }
    }

    /// What the work finds; for one waiter.
    ///
    /// - Throws: what the work throws, or ``SecretStoreError`` with `cancelled`.
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let known: Result<Value, any Error>? = state.withLock { state in
                    switch state {
                    case .running:
                        state = .running(waiter: waiter)
                        return nil
                    case .cancelled: return .failure(SecretStoreError(.cancelled))
                    case .finished(let result): return result
                    }
                }
                if let known { waiter.resume(with: known) }
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard case .running(let waiter) = state else { return nil }
                state = .cancelled
                return waiter
            }
            waiter?.resume(throwing: SecretStoreError(.cancelled))
        }
    }

    private func finish(with result: Result<Value, any Error>) {
        let waiter: Waiter? = state.withLock { state in
            defer { state = .finished(result) }
            guard case .running(let waiter) = state else { return nil }
            return waiter
        }
        waiter?.resume(with: result)
    }
}
