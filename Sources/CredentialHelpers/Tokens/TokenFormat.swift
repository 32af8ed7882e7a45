import Keyutils
package import SecretText

/// A client's format for a token that was issued to its user.
package protocol TokenFormat: Sendable {
    /// Whether the format can report when the token ends.
    var reportsExpiry: Bool { get }
    /// Whether an item is the secret itself, even if it is JSON; otherwise, it can be one of the protocol's answers.
    var takesItemsAsTheyAre: Bool { get }

    /// Returns the answer with this token.
    func answer(_ issued: Issuance) throws(UnusableToken) -> TokenAnswer

    /// Returns the answer for an absent item; `nil` if the client needs only the exit status.
    func answerToNothing() -> HelperAnswer?
}

/// A secret that was issued to the user, as a command has printed it or an item holds it.
package struct Issuance {
    package let payload: SecretBox
    /// The user to whom it was issued; empty for a token that identifies its user itself.
    package let account: String
    /// The expiry that is known without the payload, in seconds since 1970.
    package let expires: Int64?
    /// The time of issue, in seconds since 1970.
    ///
    /// If it is unknown, this is `nil`, and a lifetime in the payload is ignored.
    package let issued: Int64?
    /// Whether the payload is the secret itself, even if it is JSON.
    ///
    /// This is true for an item of a client that puts the secret into a header.
    package let isBare: Bool

    package init(
        _ payload: SecretBox, account: String = "", expires: Int64? = nil, issued: Int64? = nil, isBare: Bool = false
    ) {
        self.isBare = isBare
        self.payload = payload
        self.account = account
        self.expires = expires
        self.issued = issued
    }
}

/// The answer to a client.
package struct TokenAnswer {
    /// The bytes for standard output.
    package let output: SecretBox
    /// The payload from which the same answer can be made later.
    package let kept: SecretBox
    /// The expiry, in seconds since 1970.
    package let expires: Int64?

    package init(_ output: SecretBox, kept: SecretBox, expires: Int64?) {
        self.output = output
        self.kept = kept
        self.expires = expires
    }

    /// - Parameter kept: the payload from which the same answer can be made later; `nil` for the answer itself.
    init(kept: SecretBox? = nil, expires: Int64?, writing write: (inout SecretWriter) -> Void) {
        let output = SecretBox(SecretBytes(write))
        self.init(output, kept: kept ?? output, expires: expires)
    }
}

/// The reason why a token can't be passed on: one line that shows nothing of the token.
package struct UnusableToken: Error, Equatable {
    package let message: String
    package let hint: String

    /// The error for a token that would end a header, or a line of the answer.
    static let lineBreak = UnusableToken(
        message: "the token has a line break (CR or LF) or a NUL byte",
        hint: "store or print it on one line: tr -d '\\r\\n' removes line breaks")

    /// The message and the hint.
    var text: String { "\(message); \(hint)" }

    /// The answer that reports this error.
    var answer: HelperAnswer { HelperAnswer(exitCode: 65, message: text) }

    /// The answer that reports this error about an item.
    var answerOfItem: HelperAnswer {
        HelperAnswer(exitCode: 65, message: "the item can't be used: \(text)")
    }
}
