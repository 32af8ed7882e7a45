import Keyutils
import SecretText
public import SessionKeyring

/// Terraform's and OpenTofu's protocol for credentials helpers.
extension CredentialHelper {
    /// Answers `get`, `store` and `forget`.
    ///
    /// An item's service is the host, and the item has no account. An absent item is not an error: the answer is then
    /// an object without a token.
    ///
    /// - Parameters:
    ///   - operation: the word before the host.
    ///   - host: the last word of the command line.
    ///   - request: standard input.
    /// - Throws: ``SecretStoreError``.
    public func terraform(
        _ operation: String, host: String, request: RawSpan
    ) throws(SecretStoreError) -> HelperAnswer {
        switch operation {
        case "get": return try terraformGet(host)
        case "store":
            guard Self.hasOnlyToken(request), case .found(let found) = JSONField.find(JSONPath("token"), in: request)
            else {
                return HelperAnswer(
                    exitCode: 1, message: "the request must be {\"token\":\"...\"} without other members")
            }
            let token = SecretBox(found)
            guard !token.hasLineBreak else { return UnusableToken.lineBreak.answer }
            try store(token, CredentialFields(), service: host, account: "")
            return .nothing
        case "forget":
            _ = try delete(service: host)
            return .nothing
        default: return HelperAnswer(exitCode: 1, message: "unknown operation: use get, store or forget")
        }
    }

    private func terraformGet(_ host: String) throws(SecretStoreError) -> HelperAnswer {
        guard let token = try credential(service: host)?.secret else { return HelperAnswer(output: "{}\n") }
        guard token.isText else {
            return HelperAnswer(exitCode: 1, message: "the stored token is not UTF-8, so JSON can't hold it")
        }
        guard !token.hasLineBreak else { return UnusableToken.lineBreak.answerOfItem }
        return HelperAnswer { text in
            text.append("{\"token\":", quoting: token)
            text.append("}\n")
        }
    }

    /// Returns whether the request is an object whose members are all named `token` and are strings.
    private static func hasOnlyToken(_ request: RawSpan) -> Bool {
        guard let members = try? JSONMembers(of: request).members else { return false }
        return members.allSatisfy { $0.name == "token" && request[$0.value.lowerBound] == UInt8(ascii: "\"") }
    }
}
