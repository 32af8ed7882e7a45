import Glibc
package import Keyutils

/// Waiting for quota that the kernel gives back late: an unlinked key is charged until it is collected, some 15 ms later
/// and up to some 400 ms on a busy machine, so a full quota is often not full.
package enum QuotaPatience {
    /// Pauses in microseconds between tries: most are rewarded early, and in all they outlast the latest collection seen.
    private static let pauses: [UInt32] =
        [500, 1_000, 2_000, 3_000] + Array(repeating: 5_000, count: 30) + Array(repeating: 10_000, count: 60)

    /// Runs `operation` until it no longer throws `quotaExceeded`, for some 750 ms at most.
    package static func wait<Result: ~Copyable>(
        _ operation: () throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        for pause in pauses {
            do throws(KeyringError) {
                return try operation()
            } catch {
                guard error.code == .quotaExceeded else { throw error }
                usleep(pause)
            }
        }
        return try operation()
    }
}
