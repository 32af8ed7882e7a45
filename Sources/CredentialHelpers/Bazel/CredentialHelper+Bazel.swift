import Keyutils
import SecretText
public import SessionKeyring

/// The protocol of Bazel, Buck2 and others: EngFlow's credential-helper specification.
extension CredentialHelper {
    /// Answers `get` with the header of the nearest item for this URI.
    ///
    /// The service of such an item is an address with the same scheme, host and port, and the URI is at or below its
    /// path. If there isn't one, the answer has no headers, which is not an error. An item with an account holds that
    /// user's password. Any other item holds a token.
    ///
    /// - Parameters:
    ///   - operation: the last word of the command line.
    ///   - request: standard input.
    /// - Throws: ``SecretStoreError``.
    public func bazel(_ operation: String, request: RawSpan) throws(SecretStoreError) -> HelperAnswer {
        guard operation == "get" else {
            return HelperAnswer(exitCode: 1, message: "unknown operation: only 'get' is supported")
        }
        guard let uri = JSONField.text(of: JSONPath("uri"), in: request)?.text else {
            return HelperAnswer(exitCode: 1, message: "the request must be {\"uri\":\"https://...\"}")
        }
        guard let address = WebAddress(uri) else { return Self.noHeaders }
        for (item, _) in try items(covering: address) {
            guard let credential = try liveCredential(item), ItemOwner.others.has(item, credential) else { continue }
            let value: AuthorizationValue
            do throws(UnusableToken) {
                let token = try IssuedToken(Issuance(credential.secret, account: item.account, isBare: true))
                value = try AuthorizationValue(token.secret, user: item.account)
            } catch {
                return error.answerOfItem
            }
            return Self.headers(value, expires: try end(of: item, holding: credential))
        }
        return Self.noHeaders
    }

    private static var noHeaders: HelperAnswer { HelperAnswer(output: "{\"headers\":{}}\n") }

    private static func headers(_ value: AuthorizationValue, expires: Int64?) -> HelperAnswer {
        HelperAnswer { text in
            text.append("{\"headers\":{\"Authorization\":[", quoting: value.text)
            text.append("]}")
            if let expires { text.append(",\"expires\":\"\(DateTimeText.text(of: expires))\"") }
            text.append("}\n")
        }
    }
}
