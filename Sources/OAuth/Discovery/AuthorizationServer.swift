import Keyutils
import SecretText

/// A server that issues tokens: its endpoints, and what it supports.
package struct AuthorizationServer: Sendable {
    package let issuer: String
    package let tokens: ServerAddress
    package let authorization, device, revocation, userInfo: ServerAddress?
    /// Whether the server lists the scope `offline_access`.
    package let offersOfflineAccess: Bool
    /// Whether the server accepts a client's secret only in the form.
    let wantsSecretInForm: Bool
    /// Whether the answer of the authorization endpoint names the issuer (RFC 9207).
    let namesIssuer: Bool

    /// Asks the server for its metadata (RFC 8414, or else OpenID Connect Discovery).
    package init(_ issuer: String, _ transport: Transport) throws(OAuthError) {
        if issuer == Self.gitHub {
            self = unsafe try Self(issuer, SecretBox(copying: Self.gitHubMetadata.utf8Span.span.bytes))
            return
        }
        var problem = OAuthError(
            .unusable, "\(issuer) has no metadata", hint: "check the issuer: it must be exactly the server's own")
        for address in try Self.metadata(of: issuer) {
            do throws(OAuthError) {
                let (status, body) = try HTTPRequest(address).send(transport)
                if status == 200 {
                    self = try Self(issuer, body)
                    return
                }
                if status >= 500 { throw OAuthError(.tryAgain, "\(address.text) answered with status \(status)") }
            } catch {
                problem = error
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

    private init(_ issuer: String, _ body: SecretBox) throws(OAuthError) {
        func endpoint(_ name: String) throws(OAuthError) -> ServerAddress? {
            guard let text = body.string(name) else { return nil }
            // On this machine, any user could have the port that another server names.
            guard let address = ServerAddress(text), !address.isLoopback || issuer.hasPrefix("http:") else {
                throw OAuthError(.unusable, "the server's \(name) is not an address of https")
            }
            return address
        }
        let named = body.string("issuer") ?? "nothing"
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
        offersOfflineAccess = body.list("scopes_supported", contains: "offline_access")
        let methods = "token_endpoint_auth_methods_supported"
        wantsSecretInForm =
            body.list(methods, contains: "client_secret_post") && !body.list(methods, contains: "client_secret_basic")
        namesIssuer = body.isTrue("authorization_response_iss_parameter_supported")
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
