import Glibc

/// A lock between threads: `pthread_mutex_lock(3)`.
///
/// Not `Mutex`, whose futex calls the thread sanitizer of Swift 6.3 does not see on Linux, and not `NSLock`, which is
/// Foundation's.
@safe struct ThreadLock: @unchecked Sendable {
    private let handle: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        unsafe handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe handle.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(handle, nil)
    }

    /// Frees its memory; for a lock that ends before its process does.
    func destroy() {
        unsafe pthread_mutex_destroy(handle)
        unsafe handle.deallocate()
    }

    func withLock<Result: ~Copyable>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }

    /// For those who can't hold it around one call.
    func lock() { unsafe pthread_mutex_lock(handle) }
    func unlock() { unsafe pthread_mutex_unlock(handle) }
}
