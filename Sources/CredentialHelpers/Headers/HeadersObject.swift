import Keyutils
import SecretText
public import SessionKeyring

/// The answer to a program that gets its HTTP headers from a command: a JSON object with one member.
package struct HeadersObject: TokenFormat {
    private let header: String
    private let scheme: String?

    package var reportsExpiry: Bool { false }
    package var takesItemsAsTheyAre: Bool { true }

    /// Creates a format for this header.
    ///
    /// - Parameters:
    ///   - header: the header's name.
    ///   - scheme: the word before the secret; empty for no word. `nil` stands for `Basic` if the item has an account.
    ///     Otherwise, it stands for `Bearer` in `Authorization` and for no word in any other header.
    /// - Returns: `nil` if a header can't contain one of them (RFC 9110, section 5.6.2).
    package init?(header: String, scheme: String?) {
        guard header.isHeaderToken, scheme.map({ $0.isEmpty || $0.isHeaderToken }) ?? true else { return nil }
        self.header = header
        self.scheme = scheme
    }

    package func answer(_ issued: Issuance) throws(UnusableToken) -> TokenAnswer {
        let token = try IssuedToken(issued)
        let value = try value(token.secret, user: issued.account)
        return TokenAnswer(kept: issued.payload, expires: token.expires) { text in
            text.append("{")
            text.appendJSON(name: header)
            text.appendJSON(value.text)
            text.append("}\n")
        }
    }

    private func value(_ secret: SecretBox, user: String) throws(UnusableToken) -> AuthorizationValue {
        if let scheme { return try AuthorizationValue(secret, scheme: scheme) }
        let isAuthorization = header.asciiLowercased == "authorization"
        guard isAuthorization || !user.isEmpty else { return try AuthorizationValue(secret, scheme: "") }
        return try AuthorizationValue(secret, user: user)
    }

    package func answerToNothing() -> HelperAnswer? { nil }
}

extension String {
    fileprivate var isHeaderToken: Bool {
        !isEmpty && utf8.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }
}

/// HTTP headers for a program that runs a command to get them.
extension CredentialHelper {
    /// Answers with an object that has one header: `{"Authorization":"Bearer ..."}`.
    ///
    /// - Parameters:
    ///   - header: the header's name.
    ///   - scheme: the word before the secret; empty for no word. `nil` stands for `Basic` if the item has an account.
    ///     Otherwise, it stands for `Bearer` in `Authorization` and for no word in any other header.
    /// - Throws: ``SecretStoreError``, with `notFound` for an absent item: the client then gets the exit status 1.
    public func headers(
        _ service: String, account: String? = nil, header: String = "Authorization", scheme: String? = nil
    ) throws(SecretStoreError) -> HelperAnswer {
        guard let format = HeadersObject(header: header, scheme: scheme) else {
            return HelperAnswer(
                exitCode: 64, message: "the header or the scheme has characters that HTTP doesn't allow there")
        }
        return try answer(service, account: account, in: format)
    }
}
