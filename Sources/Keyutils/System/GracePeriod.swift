import CLinux

/// A grace period (RCU), for which the kernel's cleanup waits.
///
/// The kernel destroys an unlinked key, and returns its quota, only when no code can still be using the key.
package enum GracePeriod {
    /// Waits for one grace period: about 15 ms, and 350 ms on a busy machine.
    ///
    /// On a machine with one processor, there is nothing to wait for.
    ///
    /// - Returns: false if the kernel does not offer this call.
    ///
    /// The corresponding system call is `membarrier(2)`.
    package static func pass() -> Bool { membarrier(CInt(MEMBARRIER_CMD_GLOBAL.rawValue)) == 0 }
}
