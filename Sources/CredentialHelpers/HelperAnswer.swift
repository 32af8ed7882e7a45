public import Keyutils
import SecretText
public import SessionKeyring

/// What a helper says to the program that asked.
///
/// A request that can't be understood has an answer too, in the form that its protocol gives to errors.
public struct HelperAnswer: ~Copyable, Sendable {
    /// For standard output, exactly so; it may hold secrets.
    public let output: SecretBytes
    /// The exit status.
    public let exitCode: Int32
    /// For people, on standard error: one line without a secret; `nil` for nothing.
    public let message: String?
    /// The item that is not there, where people should be told of it; `nil` for none.
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

    init(exitCode: Int32 = 0, message: String? = nil, writing write: (inout SecretWriter) -> Void) {
        self.init(output: SecretBytes(write), exitCode: exitCode, message: message)
    }

    /// Nothing to say, and no error.
    static var nothing: HelperAnswer { HelperAnswer(exitCode: 0) }

    /// There is no such item, and the client shows its user what we say of it.
    static func missing(_ item: ItemIdentity, exitCode: Int32 = 1) -> HelperAnswer {
        HelperAnswer(output: SecretBytes(copying: []), exitCode: exitCode, missing: item)
    }
}
