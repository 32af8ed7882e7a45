import Glibc

/// Notices forks without a system call, which `getpid` is.
package enum Forks {
    // The child's handler uses these two globals only, because their values are literals: they exist before the program
    // starts. Others are initialised when they are first used, under a lock (with the thread sanitizer at every use), and
    // a thread that the child does not have might hold that lock.

    /// The number of forks up to this process.
    ///
    /// Only a child writes it, before it has other threads.
    private nonisolated(unsafe) static var count: UInt32 = 0
    private nonisolated(unsafe) static var arenaLock: UnsafeMutablePointer<pthread_mutex_t>?

    /// Whether libc tells us; it does unless it has no memory left.
    private static let areTold: Bool = {
        unsafe arenaLock = SecretArena.lock.handle
        return pthread_atfork(
            // A thread that the child does not have must not hold the lock there for ever.
            { SecretArena.lock.lock() },
            { SecretArena.lock.unlock() },
            {
                if let lock = unsafe arenaLock { unsafe pthread_mutex_unlock(lock) }
                unsafe count &+= 1
            }) == 0
    }()

    /// What ``generation`` is, once that was asked for and unless libc does not tell us.
    static var counted: UInt32 { unsafe count }

    /// A number that is another one in every child that a process forks.
    package static var generation: UInt32 {
        areTold ? unsafe count : UInt32(bitPattern: getpid())
    }
}
