import Glibc
import Synchronization

/// Notices forks without a system call, which `getpid` is.
package enum Forks {
    private static let count = Atomic<UInt32>(0)

    /// Whether libc tells us; it does unless it has no memory left.
    private static let areTold: Bool = {
        // What the handlers touch must be there before the fork.
        _ = count.load(ordering: .relaxed)
        SecretArena.lock.withLock {}
        return pthread_atfork(
            // A thread that the child does not have must not hold the lock there for ever.
            { SecretArena.lock.lock() },
            { SecretArena.lock.unlock() },
            {
                SecretArena.lock.unlock()
                Forks.count.add(1, ordering: .relaxed)
            }) == 0
    }()

    /// What ``generation`` is, once that was asked for and unless libc does not tell us.
    static var counted: UInt32 { count.load(ordering: .relaxed) }

    /// A number that is another one in every child that a process forks.
    package static var generation: UInt32 {
        areTold ? count.load(ordering: .relaxed) : UInt32(bitPattern: getpid())
    }
}
