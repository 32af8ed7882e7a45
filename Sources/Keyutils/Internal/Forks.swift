import Glibc
import Synchronization

/// Notices forks without a system call, which `getpid` is.
package enum Forks {
    private static let forked = Atomic<UInt32>(0)

    /// Whether libc tells us; it does unless it has no memory left.
    private static let areTold: Bool = {
        // What the child's handler touches must be there before the fork.
        _ = forked.load(ordering: .relaxed)
        return pthread_atfork(nil, nil, { _ = Forks.forked.add(1, ordering: .relaxed) }) == 0
    }()

    /// A number that is another one in every child that a process forks.
    package static var generation: UInt32 {
        areTold ? forked.load(ordering: .relaxed) : UInt32(bitPattern: getpid())
    }
}
