import Keyutils
package import SecretText

/// A server that issues tokens: its endpoints, and what it supports.
package struct AuthorizationServer: Sendable {
    package let issuer: String
    package let tokens: ServerAddress
    package let authorization, device, revocation, userInfo: ServerAddress?
    /// Whether the server lists the scope `offline_access`.
    package let offersOfflineAccess: Bool
    /// The JSON list of the methods by which a client can show its secret.
    let authentications: String
    /// Whether the answer of the authorization endpoint names the issuer (RFC 9207).
    let namesIssuer: Bool

    /// Asks the server for its metadata (RFC 8414, or else OpenID Connect Discovery).
    package init(_ issuer: String, _ transport: Transport) throws(OAuthError) {
        if issuer == Self.gitHub {
            self = unsafe try Self(issuer, Self.gitHubMetadata.utf8Span.span.bytes)
            return
        }
        var problem = OAuthError(
            .unusable, "\(issuer) has no metadata", hint: "check the issuer: it must be exactly the server's own")
        for address in try Self.metadata(of: issuer) {
            switch transport(HTTPRequest(address), { _ in true }) {
            case .notSent(let reason), .unknown(let reason): problem = OAuthError(.tryAgain, reason)
            case .answer(let status, let body) where status == 200:
                do throws(OAuthError) {
                    self = try body.bytes.withBytes { body throws(OAuthError) in try Self(issuer, body) }
                    return
                } catch {
                    problem = error
                }
            case .answer(let status, _) where status >= 500:
                problem = OAuthError(.tryAgain, "\(address.text) answered with status \(status)")
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
        func list(_ name: String) -> String {
            guard case .found(let list) = JSONField.find(JSONPath(name), in: body) else { return "" }
            return list.withBytes { String(lossy: $0) }
        }
        func endpoint(_ name: String) throws(OAuthError) -> ServerAddress? {
            guard let text = text(name) else { return nil }
            // On this machine, any user could have the port that another server names.
            guard let address = ServerAddress(text), !address.isLoopback || issuer.hasPrefix("http:") else {
                throw OAuthError(.unusable, "the server's \(name) is not an address of https")
            }
            return address
        }
        guard let named = text("issuer") else { throw OAuthError(.unusable, "the server's metadata names no issuer") }
        guard named == issuer else {
            throw OAuthError(
                .unusable, "the server names itself \(named.cut(to: 200)), and not \(issuer)",
                hint: "use exactly the server's own name as --issuer")
        }
        guard let tokens = try endpoint("token_endpoint") else {
            throw OAuthError(.unusable, "the server's metadata has no token_endpoint")
        }
        (self.issuer, self.tokens) = (issuer, tokens)
        authorization = try endpoint("authorization_endpoint")
        device = try endpoint("device_authorization_endpoint")
        revocation = try endpoint("revocation_endpoint")
        userInfo = try endpoint("userinfo_endpoint")
        offersOfflineAccess = list("scopes_supported").contains("\"offline_access\"")
        authentications = list("token_endpoint_auth_methods_supported")
        namesIssuer = list("authorization_response_iss_parameter_supported") == "true"
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
