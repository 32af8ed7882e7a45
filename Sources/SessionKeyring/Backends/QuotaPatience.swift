import Glibc
package import Keyutils

/// Waiting for quota that the kernel gives back late: an unlinked key is charged until it is collected, up to some 30 ms
/// later, so a full quota is often not full.
package enum QuotaPatience {
    /// Pauses in microseconds between tries: most are rewarded early, and in all they outlast several collections.
    private static let pauses: [UInt32] = [500, 1_000, 2_000, 3_000] + Array(repeating: 5_000, count: 30)

    /// Runs `operation` until it no longer throws `quotaExceeded`, for some 150 ms at most.
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
