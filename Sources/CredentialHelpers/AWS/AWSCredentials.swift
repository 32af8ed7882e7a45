import Keyutils
import SecretText
public import SessionKeyring

/// The answer of a `credential_process`.
///
/// It is made from credentials in the same form, or in the form of `aws sts assume-role` or
/// `aws sso get-role-credentials`.
package struct AWSCredentials: TokenFormat {
    /// The paths of the parts in one of the supported forms.
    private struct Form {
        let id, secret, session, expiration: String

        init(capitalized prefix: String) {
            (id, secret) = (prefix + "AccessKeyId", prefix + "SecretAccessKey")
            (session, expiration) = (prefix + "SessionToken", prefix + "Expiration")
        }

        init(_ prefix: String) {
            (id, secret) = (prefix + "accessKeyId", prefix + "secretAccessKey")
            (session, expiration) = (prefix + "sessionToken", prefix + "expiration")
        }
    }

    private static let forms = [
        Form(capitalized: ""), Form(capitalized: "Credentials."), Form("roleCredentials."),
    ]

    package var reportsExpiry: Bool { true }
    package var takesItemsAsTheyAre: Bool { false }

    package init() {}

    package func answer(_ issued: Issuance) throws(UnusableToken) -> TokenAnswer {
        let payload = issued.payload
        for form in Self.forms {
            guard let id = payload.firstText(of: [form.id]), let secret = payload.firstText(of: [form.secret]) else {
                continue
            }
            let expires = try ExpiryField.read(issued, [form.expiration])
            let session = payload.firstText(of: [form.session])
            let account = payload.firstText(of: ["AccountId"])
            guard ![id, secret, session].contains(where: { $0?.hasLineBreak ?? false }) else {
                throw UnusableToken.lineBreak
            }
            return TokenAnswer(expires: expires) { text in
                text.append("{\"Version\":1")
                text.appendJSON("AccessKeyId", ifPresent: id)
                text.appendJSON("SecretAccessKey", ifPresent: secret)
                text.appendJSON("SessionToken", ifPresent: session)
                if let expires { text.append(",\"Expiration\":\"\(DateTimeText.text(of: expires))\"") }
                text.appendJSON("AccountId", ifPresent: account)
                text.append("}\n")
            }
        }
        throw UnusableToken(
            message: "it has no AWS credentials",
            hint: "use the JSON of credential_process, 'aws sts assume-role' or 'aws sso get-role-credentials'")
    }

    package func answerToNothing() -> HelperAnswer? { nil }
}

extension SecretWriter {
    /// Appends a member to an object, if there is a value.
    mutating func appendJSON(_ name: String, ifPresent value: SecretBox?) {
        guard let value else { return }
        append(",")
        appendJSON(name: name)
        appendJSON(value)
    }
}

/// AWS's protocol: `credential_process` in the AWS SDKs and Tools Reference Guide.
extension CredentialHelper {
    /// Answers with the credentials of that item.
    ///
    /// They are JSON in the form of a `credential_process`, of `aws sts assume-role`, or of
    /// `aws sso get-role-credentials`.
    ///
    /// - Throws: ``SecretStoreError``, with `notFound` for an absent item: the client then gets the exit status 1.
    public func aws(_ service: String, account: String? = nil) throws(SecretStoreError) -> HelperAnswer {
        try answer(service, account: account, in: AWSCredentials())
    }
}
