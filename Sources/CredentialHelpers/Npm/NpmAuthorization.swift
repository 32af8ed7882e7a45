import Keyutils
import SecretText
public import SessionKeyring

/// The answer to npm and pnpm: the whole value of the header `Authorization`, on one line.
package struct NpmAuthorization: TokenFormat {
    package var reportsExpiry: Bool { false }
    package var takesItemsAsTheyAre: Bool { true }

    package init() {}

    package func answer(_ issued: Issuance) throws(UnusableToken) -> TokenAnswer {
        let token = try IssuedToken(issued)
        let value = try AuthorizationValue(token.secret, user: issued.account)
        return TokenAnswer(kept: issued.payload, expires: token.expires) { text in
            text.append(value.text)
            text.append("\n")
        }
    }

    package func answerToNothing() -> HelperAnswer? { nil }
}

/// npm's and pnpm's protocol: `tokenHelper` in `.npmrc`.
extension CredentialHelper {
    /// Answers with the header's value for that item: a user's password if it has an account, otherwise a token.
    ///
    /// - Throws: ``SecretStoreError``, with `notFound` for an absent item: the client then gets the exit status 1.
    public func npm(_ service: String, account: String? = nil) throws(SecretStoreError) -> HelperAnswer {
        try answer(service, account: account, in: NpmAuthorization())
    }
}
