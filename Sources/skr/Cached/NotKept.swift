import CommandConventions
import SessionKeyring

/// In place of a lease where the quota leaves no room for one: nobody waits for us, and nothing is kept.
final class NoLease: HeldLease {
    let fencingNumber: UInt64 = 0
    let timeLeft = Duration.zero

    func renew(lasting duration: Duration) -> Bool { false }

    func release() -> Bool { true }
}

extension SecretStoreError.Code {
    /// Whether there is no room for what was to be kept, which is no fault of the command that printed it.
    var isLackOfRoom: Bool {
        switch self {
        case .quotaExceeded, .tooLarge: true
        default: false
        }
    }
}

extension CommandError {
    /// The warning that an output goes to its caller alone.
    init(notKeptBecause error: SecretStoreError) {
        let error = CommandError(error)
        self.init(exitCode: error.exitCode, message: "\(error.message); the output is not kept", hint: error.hint)
    }
}
