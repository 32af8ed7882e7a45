import Keyutils
import SecretText

extension AuthorizationServer {
    /// Asks for the name of the user who logged in, for display only; `nil` if the server doesn't report one.
    package func userName(of tokens: IssuedTokens, _ transport: Transport) -> String? {
        let header = SecretBytes { text in
            text.append("Bearer ")
            text.append(tokens.access)
        }
        guard let userInfo,
            case (200, let body)? = try? HTTPRequest(userInfo, authorization: SecretBox(header)).send(transport)
        else { return nil }
        let names = ["preferred_username", "email", "login", "name", "sub"].lazy.compactMap { body.string($0) }
        return names.first { !$0.isEmpty }?.cut(to: 100)
    }
}
