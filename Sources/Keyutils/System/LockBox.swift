/// State that many threads share, guarded by a ``ThreadLock``.
///
/// Don't call back into a caller's code from `body`: it may want the same lock.
package final class LockBox<State>: @unchecked Sendable {
    private let lock = ThreadLock()
    private var state: State

    package init(_ state: State) {
        self.state = state
    }

    deinit {
        lock.destroy()
    }

    /// Runs `body` with the state, alone.
    package func withLock<Result: ~Copyable>(_ body: (inout State) -> Result) -> Result {
        lock.withLock { body(&state) }
    }
}
