public import Keyutils
import SecretText
public import SessionKeyring

/// A helper's answer to the program that asked.
///
/// A request that can't be understood also gets an answer, in the protocol's form for errors.
public struct HelperAnswer: ~Copyable, Sendable {
    /// The exact bytes for standard output, which can contain secrets.
    public let output: SecretBytes
    /// The exit status.
    public let exitCode: Int32
    /// One line for people, on standard error, without a secret; `nil` for nothing.
    ///
    /// If the exit status is 0, it is a warning.
    public let message: String?
    /// The absent item, if people should be told about it; otherwise `nil`.
    public let missing: ItemIdentity?

    init(
        output: consuming SecretBytes, exitCode: Int32 = 0, message: String? = nil, missing: ItemIdentity? = nil
    ) {
        self.output = output
        self.exitCode = exitCode
        self.message = message
        self.missing = missing
    }

    init(exitCode: Int32 = 0, output: String = "", message: String? = nil) {
        self.init(output: SecretBytes(utf8: output), exitCode: exitCode, message: message)
    }

    init(writing write: (inout SecretWriter) -> Void) {
        self.init(output: SecretBytes(write))
    }

    /// An empty answer, which is not an error.
    package static var nothing: HelperAnswer { HelperAnswer(exitCode: 0) }

    /// Returns the answer after a client's secret was not stored, because the item's secret comes from a source.
    static func notStored(_ service: String, _ account: String) -> HelperAnswer {
        let name = "\(service) \(account)"
        return HelperAnswer(
            message: "\(name) has a source, so the password was not stored; 'skr set \(name)' overrides the source")
    }

    /// Returns an answer for an absent item; the client shows our message about it to its user.
    static func missing(_ item: ItemIdentity, exitCode: Int32 = 1) -> HelperAnswer {
        HelperAnswer(output: SecretBytes(copying: []), exitCode: exitCode, missing: item)
    }
}
