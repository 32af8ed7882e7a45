import Keyutils
package import SecretText

/// A server that issues tokens: its endpoints, and what it supports.
package struct AuthorizationServer: Sendable {
    package let issuer: String
    package let tokens: ServerAddress
    package let authorization, device, revocation, userInfo: ServerAddress?
    /// The scopes that the server lists; `nil` if it lists none.
    package let scopes: [String]?
    let authentications: [String]?
    /// Whether the answer of the authorization endpoint names the issuer (RFC 9207).
    let namesIssuer: Bool

    /// Asks the server for its metadata (RFC 8414, or else OpenID Connect Discovery).
    package init(_ issuer: String, _ transport: Transport) throws(OAuthError) {
        if issuer == Self.gitHub {
            self = unsafe try Self(issuer, Self.gitHubMetadata.utf8Span.span.bytes)
            return
        }
        var problem = OAuthError(.unusable, "\(issuer) has no usable metadata")
        for address in try Self.metadata(of: issuer) {
            switch transport(HTTPRequest(address), { _ in }) {
            case .notSent(let reason), .unknown(let reason): throw OAuthError(.tryAgain, reason)
            case .answer(200, let body):
                do throws(OAuthError) {
                    self = try body.bytes.withBytes { body throws(OAuthError) in
                        try Self(issuer, body)
                    }
                    return
                } catch {
                    problem = error
                }
            case .answer(let status, _) where status >= 500:
                throw OAuthError(.tryAgain, "\(address.text) answered with status \(status)")
            case .answer: continue
            }
        }
        throw problem
    }

    /// Returns where an issuer's metadata can be.
    private static func metadata(of issuer: String) throws(OAuthError) -> [ServerAddress] {
        guard let address = ServerAddress(issuer), !issuer.utf8.contains(UInt8(ascii: "?")) else {
            throw OAuthError(
                .unusable, "the issuer is not an address of https",
                hint: "write it as the server does, such as https://id.example.com")
        }
        var path = address.path
        while path.hasSuffix("/") { path.removeLast() }
        return [
            "\(address.origin)/.well-known/oauth-authorization-server\(path)",
            "\(address.origin)\(path)/.well-known/openid-configuration",
        ].compactMap { ServerAddress($0) }
    }

    private init(_ issuer: String, _ body: RawSpan) throws(OAuthError) {
        func text(_ name: String) -> String? { JSONField.text(of: JSONPath(name), in: body)?.text }
        func endpoint(_ name: String) throws(OAuthError) -> ServerAddress? {
            guard let text = text(name) else { return nil }
            guard let address = ServerAddress(text) else {
                throw OAuthError(.unusable, "the server's \(name) is not an address of https")
            }
            return address
        }
        guard let named = text("issuer") else { throw OAuthError(.unusable, "the server's metadata names no issuer") }
        guard named == issuer else {
            throw OAuthError(
                .unusable, "the server's metadata is that of another issuer: \(named)",
                hint: "if that is the right one, use exactly it as --issuer")
        }
        guard let tokens = try endpoint("token_endpoint") else {
            throw OAuthError(.unusable, "the server's metadata has no token_endpoint")
        }
        (self.issuer, self.tokens) = (issuer, tokens)
        authorization = try endpoint("authorization_endpoint")
        device = try endpoint("device_authorization_endpoint")
        revocation = try endpoint("revocation_endpoint")
        userInfo = try endpoint("userinfo_endpoint")
        scopes = Self.list("scopes_supported", in: body)
        authentications = Self.list("token_endpoint_auth_methods_supported", in: body)
        namesIssuer =
            JSONField.firstByte(of: JSONPath("authorization_response_iss_parameter_supported"), in: body)
            == UInt8(ascii: "t")
    }

    /// Returns the texts of an array.
    private static func list(_ name: String, in body: RawSpan) -> [String]? {
        guard JSONField.firstByte(of: JSONPath(name), in: body) == UInt8(ascii: "[") else { return nil }
        var texts: [String] = []
        while texts.count < 1_000, let text = JSONField.text(of: JSONPath("\(name).\(texts.count)"), in: body)?.text {
            texts.append(text)
        }
        return texts
    }

    /// GitHub has no metadata.
    private static let gitHub = "https://github.com"
    private static let gitHubMetadata = """
        {"issuer":"https://github.com","authorization_endpoint":"https://github.com/login/oauth/authorize",
        "token_endpoint":"https://github.com/login/oauth/access_token",
        "device_authorization_endpoint":"https://github.com/login/device/code",
        "userinfo_endpoint":"https://api.github.com/user",
        "token_endpoint_auth_methods_supported":["client_secret_post"]}
        """
}

extension OAuthClient {
    /// Creates a client that shows its secret as the server wants it.
    package init(id: String, secret: SecretBox?, of server: AuthorizationServer) {
        self.init(
            id: id, secret: secret, Authentication(hasSecret: secret != nil, supported: server.authentications))
    }
}
