public import Keyutils

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

    init(output: consuming SecretBytes, exitCode: Int32 = 0, message: String? = nil) {
        self.output = output
        self.exitCode = exitCode
        self.message = message
    }

    init(exitCode: Int32 = 0, output: String = "", message: String? = nil) {
        self.init(output: SecretBytes(utf8: output), exitCode: exitCode, message: message)
    }

    init(exitCode: Int32 = 0, message: String? = nil, writing write: (inout SecretWriter) -> Void) {
        self.init(output: SecretBytes(write), exitCode: exitCode, message: message)
    }

    /// Nothing to say, and no error.
    static var nothing: HelperAnswer { HelperAnswer(exitCode: 0) }
}
