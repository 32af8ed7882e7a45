import Foundation

/// State that many threads share, guarded by an `NSLock`.
///
/// This type exists because `NSLock` can't be locked in async code, and its own `withLock` does not support typed
/// throws on Linux. Don't call a caller's code from `body`: it might want the same lock.
package final class Locked<State>: @unchecked Sendable {
    private let lock = NSLock()
    private var state: State

    /// Creates a lock that guards this state.
    package init(_ state: State) {
        self.state = state
    }

    /// Runs `body` with exclusive access to the state.
    ///
    /// - Throws: the error of `body`.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
