import Keyutils
import SecretText

/// The device flow (RFC 8628): the user enters a code on another device, and this machine asks until that has happened.
package struct DeviceFlow {
    /// The error after which the user needs a new code.
    package static let expired = OAuthError(.tryAgain, "the code has expired", hint: "run the command again")

    /// The code that the user enters.
    package let userCode: String
    /// The page on which the user enters the code.
    package let page: ServerAddress
    /// The page with the code in its address.
    package let completePage: ServerAddress?
    /// How long the code is valid.
    package let lifetime: Duration
    private(set) var interval: Duration
    private var backoff = Duration.zero
    private let deviceCode: SecretBox
    private let login: LoginRequest

    /// How long to wait before the next question.
    package var pause: Duration { interval + backoff }

    /// Gets a code from the server.
    package init(_ login: LoginRequest, _ transport: Transport) throws(OAuthError) {
        guard let endpoint = login.server.device else {
            throw OAuthError(.flowRefused, "the server has no device flow", hint: "log in with any browser: --paste")
        }
        var form = Form()
        // Servers want it even from a client that shows its secret in the header.
        if login.client.authentication == .basic { form.add("client_id", login.client.id) }
        if let scope = login.scope { form.add("scope", scope) }
        if let resource = login.resource { form.add("resource", resource) }
        let (status, body) = try login.client.request(endpoint, form).send(transport)
        if let name = body.string("error") { throw OAuthError(named: name, body.string("error_description")) }
        guard status == 200, let code = body.secret("device_code"), let user = body.string("user_code"),
            (1...100).contains(user.utf8.count)
        else {
            // Without an error member, the endpoint isn't there.
            throw OAuthError(
                status < 500 ? .flowRefused : .tryAgain, "the server gave no device code, but status \(status)")
        }
        func page(_ name: String) -> ServerAddress? {
            let page = body.string(name).flatMap { ServerAddress($0) }
            return page?.isLoopback == true && !login.server.tokens.isLoopback ? nil : page
        }
        guard let shown = page("verification_uri") ?? page("verification_url") else {
            throw OAuthError(.unusable, "the page for the code is not an address of https")
        }
        (self.login, deviceCode, userCode, self.page) = (login, code, user, shown)
        completePage = page("verification_uri_complete")
        lifetime = .seconds(min(max(body.integer("expires_in") ?? 600, 1), 3_600))
        interval = .seconds(min(max(body.integer("interval") ?? 5, 1), 60))
    }

    /// The question whether the user has entered the code.
    package var request: HTTPRequest {
        var form = Form([("grant_type", "urn:ietf:params:oauth:grant-type:device_code")])
        form.add("device_code", deviceCode)
        if let resource = login.resource { form.add("resource", resource) }
        return login.client.request(login.server.tokens, form)
    }

    /// Returns the tokens, or `nil` if the next question is due after `pause`.
    package mutating func tokens(in answer: TokenAnswer) throws(OAuthError) -> IssuedTokens? {
        switch answer {
        case .tokens(let tokens): return tokens
        case .refused("authorization_pending", _): backoff = .zero
        case .refused("slow_down", _): interval += .seconds(5)
        case .refused("expired_token", _): throw Self.expired
        case .refused(_, let error) where error.code != .tryAgain: throw error
        case .unknown(let error) where error.code == .unusable: throw error
        case .notSent, .unknown, .refused: backoff = min(max(backoff * 2, interval), .seconds(60))
        }
        return nil
    }
}
