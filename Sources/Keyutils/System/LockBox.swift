import Glibc

/// State that many threads share, guarded by `pthread_mutex_lock(3)`.
///
/// Don't call a caller's code from `body`: it might want the same lock.
///
/// This type doesn't use `Mutex`, whose futex calls on Linux the thread sanitizer of Swift 6.3 does not see. It doesn't
/// use `NSLock`, which is part of Foundation. It is not a class, because Swift's runtime would build the metadata of a
/// generic class at each start of a command.
@safe package struct LockBox<State: ~Copyable>: ~Copyable, @unchecked Sendable {
    /// The mutex and the state are on the heap, because a mutex must keep its address, and a structure can move.
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

    /// Runs `body` with exclusive access to the state.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try unsafe body(&state.pointee)
    }

    /// Locks the mutex; call it directly only to hold the lock during a fork.
    func lock() { unsafe pthread_mutex_lock(handle) }
    func unlock() { unsafe pthread_mutex_unlock(handle) }
}
