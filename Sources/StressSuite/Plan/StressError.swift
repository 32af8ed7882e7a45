import Keyutils
import SessionKeyring

/// The reason why a run could not be made.
///
/// If a run finds a defect of the store, that is not an error, but a failed check in its result.
package struct StressError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The plan asks for something impossible.
        case invalidPlan
        /// No keyring can be used for the run.
        case unavailable
        /// A process could not be started, or ended by itself.
        case workerFailed
        /// The history does not fit into memory.
        case outOfMemory
    }

    package let code: Code
    /// One line, lowercase, without a full stop.
    package let description: String
    /// What to do about it.
    package let hint: String?

    package init(_ code: Code, _ description: String, hint: String? = nil) {
        self.code = code
        self.description = description
        self.hint = hint
    }
}

extension StressError {
    /// Creates an object that a run needs from the kernel, and translates the error if that fails.
    package static func translating<Result: ~Copyable>(_ make: () throws -> Result) throws(StressError) -> Result {
        do {
            return try make()
        } catch {
            // The message leaves out the system call and its error number.
            let reason =
                switch error {
                case let error as SecretStoreError: error.summary
                case let error as KeyringError: SecretStoreError(error).summary
                default: "\(error)"
                }
            throw StressError(
                .unavailable, "no keyring for the run: \(reason)", hint: "'skr doctor' shows what this login provides")
        }
    }
}
