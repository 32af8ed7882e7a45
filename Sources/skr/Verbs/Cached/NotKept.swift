import CommandSupport
import SessionKeyring

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
