import Foundation

/// State that many threads share, guarded by an `NSLock`.
///
/// `NSLock` is not to be locked from async code, and its own `withLock` does not carry typed throws on Linux; hence the box.
/// Don't call back into a caller's code from `body`: it may want the same lock.
package final class Locked<State>: @unchecked Sendable {
    private let lock = NSLock()
    private var state: State

    /// Guards this state from now on.
    package init(_ state: State) {
        self.state = state
    }

    /// Runs `body` with the state, alone.
    ///
    /// - Throws: what `body` throws.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
