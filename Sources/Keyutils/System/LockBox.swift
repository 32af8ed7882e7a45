import Glibc

/// State that many threads share, guarded by `pthread_mutex_lock(3)`.
///
/// Not `Mutex`, whose futex calls the thread sanitizer of Swift 6.3 does not see on Linux, and not `NSLock`, which is
/// Foundation's. Don't call back into a caller's code from `body`: it may want the same lock.
@safe package final class LockBox<State: ~Copyable>: @unchecked Sendable {
    private let handle: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    package init(_ state: consuming State) {
        self.state = state
        unsafe handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe handle.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(handle, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(handle)
        unsafe handle.deallocate()
    }

    /// Runs `body` with the state, alone.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body(&state)
    }

    /// For a fork, around which the lock is held.
    func lock() { unsafe pthread_mutex_lock(handle) }
    func unlock() { unsafe pthread_mutex_unlock(handle) }
}
