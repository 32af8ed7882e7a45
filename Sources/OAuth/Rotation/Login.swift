package import Keyutils
package import SecretText

/// A login, as it is stored: the refresh token, and what using it takes.
package struct Login: Sendable {
    /// A random text, which each login has for itself.
    package let id: String
    /// How many times the refresh token has been replaced.
    package let generation: Int64
    /// Whether a refresh was begun whose answer hasn't been stored.
    package let isInFlight: Bool
    package let issuer: String
    package let clientID: String
    let authentication: OAuthClient.Authentication
    let tokens: ServerAddress
    package let revocation: ServerAddress?
    let scope: String?
    let resource: String?
    /// The user's name, for display only.
    package let user: String?
    package let refreshToken: SecretBox
    /// The Unix time until which the user wants to keep the login; `nil` for as long as its scope lives.
    let keptUntil: Int64?
    /// The Unix time at which the server ends the login; `nil` if that is unknown.
    let serverEnd: Int64?

    /// The Unix time of the login's end; `nil` if it ends with its scope.
    package var end: Int64? { [keptUntil, serverEnd].compactMap(\.self).min() }

    /// Creates the record of a new login; `nil` without a refresh token.
    package init?(
        _ tokens: IssuedTokens, _ server: AuthorizationServer, _ client: OAuthClient, scope: String?,
        resource: String?, user: String?, keptUntil: Int64?, at now: Int64
    ) {
        guard let refresh = tokens.refresh else { return nil }
        (id, generation, isInFlight) = (Random.text().text ?? "", 0, false)
        (issuer, clientID, authentication) = (server.issuer, client.id, client.authentication)
        (self.tokens, revocation) = (server.tokens, server.revocation)
        (self.scope, self.resource, self.user, self.keptUntil) = (tokens.scope ?? scope, resource, user, keptUntil)
        refreshToken = refresh
        serverEnd = tokens.refreshLifetime.map { now + $0 }
    }

    /// Returns the login with or without the mark that a refresh has begun.
    func marked(_ isInFlight: Bool) -> Login { Login(self, generation, isInFlight, refreshToken, serverEnd) }

    /// Returns the login after a refresh; without a new refresh token, it keeps the old one.
    func rotated(by tokens: IssuedTokens, at now: Int64) -> Login {
        Login(
            self, generation + 1, false, tokens.refresh ?? refreshToken,
            tokens.refreshLifetime.map { now + $0 } ?? serverEnd)
    }

    private init(
        _ old: Login, _ generation: Int64, _ isInFlight: Bool, _ refreshToken: SecretBox, _ serverEnd: Int64?
    ) {
        (id, self.generation, self.isInFlight) = (old.id, generation, isInFlight)
        (issuer, clientID, authentication) = (old.issuer, old.clientID, old.authentication)
        (tokens, revocation, scope, resource) = (old.tokens, old.revocation, old.scope, old.resource)
        (user, keptUntil) = (old.user, old.keptUntil)
        (self.refreshToken, self.serverEnd) = (refreshToken, serverEnd)
    }

    /// Whether the other record is the same login with the same refresh token, whatever its mark is.
    func isSame(as other: Login) -> Bool { id == other.id && generation == other.generation }

    /// Reads a stored record, which any program of the session can have written; `nil` for anything else.
    package init?(_ record: RawSpan) {
        func secret(_ name: String) -> SecretBox? { JSONField.text(of: JSONPath(name), in: record) }
        func text(_ name: String) -> String? { secret(name)?.text }
        func number(_ name: String) -> Int64? { JSONField.integer(of: JSONPath(name), in: record) }
        guard let id = text("login"), !id.isEmpty, let generation = number("generation"),
            generation >= 0, let issuer = text("issuer"), let clientID = text("client_id"),
            let authentication = text("authentication").flatMap({ OAuthClient.Authentication(rawValue: $0) }),
            let tokens = text("token_endpoint").flatMap({ ServerAddress($0) }), let refresh = secret("refresh_token")
        else { return nil }
        (self.id, self.generation, self.issuer, self.clientID) = (id, generation, issuer, clientID)
        (self.authentication, self.tokens, refreshToken) = (authentication, tokens, refresh)
        isInFlight = JSONField.firstByte(of: JSONPath("in_flight"), in: record) == UInt8(ascii: "t")
        revocation = text("revocation_endpoint").flatMap { ServerAddress($0) }
        (scope, resource, user) = (text("scope"), text("resource"), text("user"))
        (keptUntil, serverEnd) = (number("kept_until"), number("server_end"))
    }

    package var record: SecretBytes {
        SecretBytes { json in
            json.append("{\"login\":", quoting: id)
            json.append(",\"generation\":\(generation)\(isInFlight ? ",\"in_flight\":true" : "")")
            let texts = [
                ("issuer", issuer), ("client_id", clientID), ("authentication", authentication.rawValue),
                ("token_endpoint", tokens.text), ("revocation_endpoint", revocation?.text), ("scope", scope),
                ("resource", resource), ("user", user),
            ]
            for (name, text) in texts {
                if let text { json.append(",\"\(name)\":", quoting: text) }
            }
            for (name, time) in [("kept_until", keptUntil), ("server_end", serverEnd)] {
                if let time { json.append(",\"\(name)\":\(time)") }
            }
            json.append(",\"refresh_token\":", quoting: refreshToken)
            json.append("}")
        }
    }

    /// Returns the request for a new token.
    func refreshing(as client: OAuthClient) -> HTTPRequest {
        var form = Form([("grant_type", "refresh_token")])
        form.add("refresh_token", refreshToken)
        if let resource { form.add("resource", resource) }
        return client.request(tokens, form)
    }

    /// Returns the request that revokes a refresh token (RFC 7009); `nil` if the server has no such endpoint.
    package func revoking(_ token: SecretBox, as client: OAuthClient) -> HTTPRequest? {
        guard let revocation else { return nil }
        var form = Form([("token_type_hint", "refresh_token")])
        form.add("token", token)
        return client.request(revocation, form)
    }

    /// Returns the client, with the secret that isn't stored.
    package func client(_ secret: SecretBox?) -> OAuthClient {
        OAuthClient(id: clientID, secret: secret, authentication)
    }
}
