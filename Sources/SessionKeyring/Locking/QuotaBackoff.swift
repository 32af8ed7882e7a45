import Glibc
package import Keyutils

/// Waiting for quota that the kernel gives back late: an unlinked key is charged until it is collected, some 15 ms later
/// and 240 ms and more on a busy machine, so a full quota is often not full.
package enum QuotaBackoff {
    /// Some 150 ms, where more can be tried than waiting.
    case short
    /// Some 750 ms.
    case long

    /// Pauses in microseconds between tries: most are rewarded early, and in all they outlast the latest collection seen.
    private static let shortPauses: [UInt32] = [500, 1_000, 2_000, 3_000] + Array(repeating: 5_000, count: 30)
    private static let longPauses = shortPauses + Array(repeating: 10_000, count: 60)

    /// Runs `operation` until it no longer throws `quotaExceeded`, or the last pause is over.
    package func wait<Result: ~Copyable>(
        _ operation: () throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        for pause in self == .short ? Self.shortPauses : Self.longPauses {
            do throws(KeyringError) {
                return try operation()
            } catch {
                guard error.code == .quotaExceeded else { throw error }
                usleep(pause)
            }
        }
        return try operation()
    }

    /// Runs `operation`, which itself waits for a short time, until it no longer throws `quotaExceeded`, or 600 ms have passed.
    static func outlast(_ operation: () throws(SecretStoreError) -> Void) throws(SecretStoreError) {
        let end = ContinuousClock.now + .milliseconds(600)
        while true {
            do throws(SecretStoreError) {
                return try operation()
            } catch {
                guard error.underlying?.code == .quotaExceeded, ContinuousClock.now < end else { throw error }
            }
        }
    }
}
