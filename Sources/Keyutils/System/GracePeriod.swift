import CLinux

/// What the kernel's late work is measured in: a key that was unlinked is destroyed, and charged to nobody any more, when all
/// that may still look at it has ended.
package enum GracePeriod {
    /// Waits until one has passed, some 15 ms, and 350 ms on a busy machine; false where the kernel does not offer that.
    ///
    /// On a machine with one processor there is nothing to wait for.
    ///
    /// The corresponding system call is `membarrier(2)`.
    package static func pass() -> Bool { membarrier(CInt(MEMBARRIER_CMD_GLOBAL.rawValue)) == 0 }
}
