import Glibc

/// State that many threads share, guarded by `pthread_mutex_lock(3)`.
///
/// Not `Mutex`, whose futex calls the thread sanitizer of Swift 6.3 does not see on Linux, and not `NSLock`, which is
/// Foundation's. Don't call back into a caller's code from `body`: it may want the same lock.
///
/// Not a class: Swift's runtime builds the metadata of a generic class at each start of a command.
@safe package struct LockBox<State: ~Copyable>: ~Copyable, @unchecked Sendable {
    /// On the heap, as is the state: a mutex must keep its address, and a structure is moved.
    let handle: UnsafeMutablePointer<pthread_mutex_t>
    private let state: UnsafeMutablePointer<State>

    package init(_ state: consuming State) {
        unsafe self.state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe self.state.initialize(to: state)
        unsafe handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe handle.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(handle, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(handle)
        unsafe handle.deallocate()
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Runs `body` with the state, alone.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try unsafe body(&state.pointee)
    }

    /// For a fork, around which the lock is held.
    func lock() { unsafe pthread_mutex_lock(handle) }
    func unlock() { unsafe pthread_mutex_unlock(handle) }
}
