import Keyutils
import SecretText
public import SessionKeyring

/// The answer of an executable that supplies external account credentials.
package struct GoogleToken: TokenFormat {
    private static let prefix = "urn:ietf:params:oauth:token-type:"
    private let type: String
    /// The field that holds the token.
    private var field: String { Self.field(of: type) ?? "id_token" }

    package var reportsExpiry: Bool { true }
    package var takesItemsAsTheyAre: Bool { false }

    /// - Parameter type: the value of `GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE`; an ID token if it is empty or `nil`.
    package init(type: String?) throws(UnusableToken) {
        self.type = type.flatMap { $0.isEmpty ? nil : $0 } ?? Self.prefix + "id_token"
        guard Self.field(of: self.type) != nil else {
            throw UnusableToken(
                message: "GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE asks for an unknown type",
                hint:
                    "in the credential file, set subject_token_type to \(Self.prefix)TYPE, with id_token, jwt or saml2 as TYPE"
            )
        }
    }

    private static func field(of type: String) -> String? {
        guard type.utf8.starts(with: prefix.utf8) else { return nil }
        return switch Substring(type.utf8.dropFirst(prefix.utf8.count)) {
        case "id_token", "jwt": "id_token"
        case "saml2": "saml_response"
        default: nil
        }
    }

    package func answer(_ issued: Issuance) throws(UnusableToken) -> TokenAnswer {
        // Without this check, a token of another type would be used as one of this type.
        if let said = issued.payload.text(of: "token_type")?.text, let other = Self.field(of: said), other != field {
            throw UnusableToken(
                message: "the token is not of the type in GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE",
                hint: "use a different NAME for each type")
        }
        // Base64 in a SAML response can have line breaks.
        let token = try IssuedToken(issued, in: [field], hasLines: field == "saml_response")
        guard token.secret.isText else {
            throw UnusableToken(message: "the token is not UTF-8", hint: "store or print it as UTF-8")
        }
        return TokenAnswer(expires: token.expires) { text in
            text.append("{\"version\":1,\"success\":true,\"token_type\":\"\(type)\"")
            text.appendJSON(field, ifPresent: token.secret)
            if let end = token.expires { text.append(",\"expiration_time\":\(end)") }
            text.append("}\n")
        }
    }

    package func answerToNothing() -> HelperAnswer? {
        let message = "skr: the item does not exist or has expired; store it with 'skr set'"
        return HelperAnswer(
            output: "{\"version\":1,\"success\":false,\"code\":\"401\",\"message\":\"\(message)\"}\n")
    }
}

/// Google's protocol: executable-sourced credentials, AIP-4117.
extension CredentialHelper {
    /// Answers with the token of that item.
    ///
    /// An absent item also gets an answer, with the exit status 0: with any other status, the client reads nothing.
    ///
    /// - Parameter tokenType: the value of `GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE`.
    /// - Throws: ``SecretStoreError``.
    public func google(
        _ service: String, account: String? = nil, tokenType: String?
    ) throws(SecretStoreError) -> HelperAnswer {
        let format: GoogleToken
        do throws(UnusableToken) {
            format = try GoogleToken(type: tokenType)
        } catch {
            return error.answer
        }
        return try answer(service, account: account, in: format)
    }
}
