import Glibc

/// Detects forks without a system call, which `getpid` would be.
package enum Forks {
    // The child's handler uses only these two globals. Their initial values are literals, so they exist before the
    // program starts. Swift initialises other globals on first use, under a lock (with the thread sanitizer, at every
    // use). A thread that the child does not have could hold that lock.

    /// The number of forks that led to this process.
    ///
    /// Only a child writes it, before it has other threads.
    private nonisolated(unsafe) static var count: UInt32 = 0
    private nonisolated(unsafe) static var arenaLock: UnsafeMutablePointer<pthread_mutex_t>?

    /// Whether libc calls our handlers at a fork; false only if it is out of memory.
    private static let areTold: Bool = {
        unsafe arenaLock = SecretArena.lock.handle
        return pthread_atfork(
            // The parent holds the lock during the fork. Otherwise, the child would find it locked forever by a thread
            // that the child doesn't have.
            { SecretArena.lock.lock() },
            { SecretArena.lock.unlock() },
            {
                if let lock = unsafe arenaLock { unsafe pthread_mutex_unlock(lock) }
                unsafe count &+= 1
            }) == 0
    }()

    /// The same number as ``generation``, if that was read before and libc calls our handlers.
    static var counted: UInt32 { unsafe count }

    /// A number that changes in every child that a process forks.
    package static var generation: UInt32 {
        areTold ? unsafe count : UInt32(bitPattern: getpid())
    }
}
