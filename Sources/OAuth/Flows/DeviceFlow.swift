import Keyutils
import SecretText

/// The device flow (RFC 8628): the user enters a code on another device, and this machine asks until that has happened.
package struct DeviceFlow {
    /// The next step after an answer of the token endpoint.
    package enum Step {
        /// Ask again after this time.
        case wait(Duration)
        case done(IssuedTokens)
        /// The user needs a new code.
        case expired
        case failed(OAuthError)
    }

    /// The code that the user enters.
    package let userCode: String
    /// The page on which the user enters the code.
    package let page: ServerAddress
    /// The page with the code in its address.
    package let completePage: ServerAddress?
    /// How long the code is valid.
    package let lifetime: Duration
    /// How long to wait before the next question.
    package private(set) var interval: Duration
    private var backoff = Duration.zero
    private let deviceCode: SecretBox
    private let server: AuthorizationServer
    private let client: OAuthClient
    private let resource: String?

    /// Gets a code from the server.
    package init(
        _ server: AuthorizationServer, _ client: OAuthClient, scope: String?, resource: String?, _ transport: Transport
    ) throws(OAuthError) {
        guard let endpoint = server.device else {
            throw OAuthError(.flowRefused, "the server has no device flow", hint: "log in with any browser: --paste")
        }
        var form = Form()
        // Servers want it even from a client that shows its secret in the header.
        if client.authentication == .basic { form.add("client_id", client.id) }
        if let scope { form.add("scope", scope) }
        if let resource { form.add("resource", resource) }
        switch transport(client.request(endpoint, form), { _ in true }) {
        case .notSent(let reason), .unknown(let reason): throw OAuthError(.tryAgain, reason)
        case .answer(let status, let body):
            self = try body.bytes.withBytes { body throws(OAuthError) in
                try Self(status, body, server, client, resource)
            }
        }
    }

    private init(
        _ status: Int, _ body: RawSpan, _ server: AuthorizationServer, _ client: OAuthClient, _ resource: String?
    ) throws(OAuthError) {
        func text(_ name: String) -> SecretBox? { JSONField.text(of: JSONPath(name), in: body) }
        func seconds(_ name: String) -> Int64? { JSONField.integer(of: JSONPath(name), in: body) }
        if let name = text("error")?.text { throw OAuthError(named: name, in: body) }
        guard status == 200, let code = text("device_code"), let user = text("user_code")?.text,
            (1...100).contains(user.utf8.count)
        else {
            // Without an error member, the endpoint isn't there.
            throw OAuthError(
                status < 500 ? .flowRefused : .tryAgain, "the server gave no device code, but status \(status)")
        }
        guard let page = (text("verification_uri") ?? text("verification_url"))?.text.flatMap({ ServerAddress($0) }),
            !page.isLoopback || server.tokens.isLoopback
        else { throw OAuthError(.unusable, "the page for the code is not an address of https") }
        (deviceCode, userCode, self.page) = (code, user, page)
        completePage = text("verification_uri_complete")?.text.flatMap { ServerAddress($0) }
        lifetime = .seconds(min(max(seconds("expires_in") ?? 600, 1), 3_600))
        interval = .seconds(min(max(seconds("interval") ?? 5, 1), 60))
        (self.server, self.client, self.resource) = (server, client, resource)
    }

    /// The question whether the user has entered the code.
    package var request: HTTPRequest {
        var form = Form([("grant_type", "urn:ietf:params:oauth:grant-type:device_code")])
        form.add("device_code", deviceCode)
        if let resource { form.add("resource", resource) }
        return client.request(server.tokens, form)
    }

    package mutating func next(after answer: TokenAnswer) -> Step {
        switch answer {
        case .tokens(let tokens): return .done(tokens)
        case .refused("authorization_pending", _): backoff = .zero
        case .refused("slow_down", _): interval += .seconds(5)
        case .refused("expired_token", _): return .expired
        case .refused(_, let error) where error.code != .tryAgain: return .failed(error)
        case .unknown(let error) where error.code == .unusable: return .failed(error)
        case .notSent, .unknown, .refused: backoff = min(max(backoff * 2, interval), .seconds(60))
        }
        return .wait(interval + backoff)
    }
}
