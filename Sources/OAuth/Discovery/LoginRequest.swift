package import SecretText

/// The server and the client of a login, and the access that the client wants.
package struct LoginRequest: Sendable {
    package let server: AuthorizationServer
    let client: OAuthClient
    package let scope: String?
    /// The server that gets the token (RFC 8707).
    package let resource: String?

    /// - Parameter secret: the client's secret, which it shows as the server wants it.
    package init(
        _ server: AuthorizationServer, clientID: String, secret: SecretBox?, scope: String? = nil,
        resource: String? = nil
    ) {
        client = OAuthClient(
            id: clientID, secret: secret, secret == nil ? .none : server.wantsSecretInForm ? .post : .basic)
        (self.server, self.scope, self.resource) = (server, scope, resource)
    }
}
