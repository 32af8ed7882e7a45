package import SecretText

/// How a client wants to be told of what was issued to its user.
package protocol TokenFormat: Sendable {
    /// Whether the client can be told when the token ends.
    var reportsExpiry: Bool { get }
    /// Whether an item is the secret itself, also where it is JSON; else it may be an answer of the protocol's own.
    var takesItemsAsTheyAre: Bool { get }

    /// The answer that says it.
    func answer(_ issued: Issuance) throws(UnusableToken) -> TokenAnswer

    /// The answer for an absent item; `nil` if the exit status tells the client.
    func answerToNothing() -> HelperAnswer?
}

/// What was issued to the user, as a command has printed it or an item holds it.
package struct Issuance {
    package let payload: SecretBox
    /// Whose it is; empty for a token that says so itself.
    package let account: String
    /// When it ends, as is known beside the payload, in seconds since 1970.
    package let expires: Int64?
    /// When it was issued, in seconds since 1970; `nil` where nobody knows, so that a number of seconds to live says nothing.
    package let issued: Int64?
    /// Whether the payload is the secret itself, also where it is JSON: an item is, for a client that puts it into a header.
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

/// What a client is told.
package struct TokenAnswer {
    /// For standard output.
    package let output: SecretBox
    /// What the same answer is made of later.
    package let kept: SecretBox
    /// When it ends, in seconds since 1970.
    package let expires: Int64?

    /// - Parameter kept: what the same answer is made of later; `nil` where that is the answer itself.
    package init(_ output: SecretBox, kept: SecretBox? = nil, expires: Int64?) {
        self.output = output
        self.kept = kept ?? output
        self.expires = expires
    }
}

/// Why something can't be handed on: one line that shows nothing of it.
package struct UnusableToken: Error, Equatable {
    package let message: String
    package let hint: String
    /// Whether the client is told that the item is absent.
    var countsAsNothing = false

    /// The answer that says so.
    var answer: HelperAnswer { HelperAnswer(exitCode: 65, message: "\(message); \(hint)") }

    /// The answer that says it of what was found.
    var answerOfItem: HelperAnswer {
        HelperAnswer(exitCode: 65, message: "the item can't be used: \(message); \(hint)")
    }
}
