import Keyutils
import SecretText

package enum User {
    private static let fields = ["preferred_username", "email", "login", "name", "sub"]

    /// Asks the server for the name of the user who logged in, for display only.
    ///
    /// - Returns: `nil` if the server doesn't report one.
    package static func name(
        of tokens: IssuedTokens, _ server: AuthorizationServer, _ transport: Transport
    ) -> String? {
        let header = SecretBytes { text in
            text.append("Bearer ")
            text.append(tokens.access)
        }
        guard let address = server.userInfo,
            case .answer(200, let body) = transport(
                HTTPRequest(address, authorization: SecretBox(header)), { _ in true })
        else { return nil }
        for field in fields {
            let text = body.bytes.withBytes { JSONField.text(of: JSONPath(field), in: $0) }?.text
            if let text, !text.isEmpty { return text.cut(to: 100) }
        }
        return nil
    }
}
