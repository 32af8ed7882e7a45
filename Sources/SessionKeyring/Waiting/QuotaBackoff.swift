import Glibc
package import Keyutils

/// Waiting for quota that the kernel gives back late: an unlinked key is charged until it is collected, some 15 ms later
/// and 240 ms and more on a busy machine, so a full quota is often not full.
package enum QuotaBackoff {
    /// Not at all, for a caller that waits by itself.
    case none
    /// Some 150 ms, where more can be tried than waiting.
    case short
    /// Some 750 ms.
    case long

    /// Pauses in microseconds between tries: most are rewarded early, and in all they outlast the latest collection seen.
    private static let shortPauses: [UInt32] = [500, 1_000, 2_000, 3_000] + Array(repeating: 5_000, count: 30)
    private static let longPauses = shortPauses + Array(repeating: 10_000, count: 60)

    private var pauses: [UInt32] {
        switch self {
        case .none: []
        case .short: Self.shortPauses
        case .long: Self.longPauses
        }
    }

    /// Runs `operation` until it no longer throws `quotaExceeded`, or the last pause is over.
    package func wait<Result: ~Copyable>(
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
