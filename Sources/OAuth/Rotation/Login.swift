package import Keyutils
package import SecretText

/// A login, as it is stored: the refresh token, and what using it takes.
package struct Login: Sendable {
    /// The fate of the refresh token, if something is known about it.
    package enum Mark: String, Sendable {
        /// A refresh was begun whose answer hasn't been stored.
        case inFlight = "in_flight"
        /// The server has refused the token.
        case refused
    }

    /// A random text, which each login has for itself.
    package let id: String
    /// How many times the refresh token has been replaced.
    package private(set) var generation: Int64
    package var mark: Mark?
    package let issuer: String
    package let clientID: String
    let authentication: OAuthClient.Authentication
    let tokens: ServerAddress
    let revocation: ServerAddress?
    let scope: String?
    let resource: String?
    /// The user's name, for display only.
    package let user: String?
    /// The refresh token; empty if the server gave none.
    package private(set) var refreshToken: SecretBox
    /// The Unix time until which the user wants to keep the login; `nil` for as long as its scope lives.
    let keptUntil: Int64?
    /// The Unix time at which the server ends the login; `nil` if that is unknown.
    private(set) var serverEnd: Int64?

    /// The Unix time of the login's end; `nil` if it ends with its scope.
    package var end: Int64? { [keptUntil, serverEnd].compactMap(\.self).min() }

    /// Creates the record of a new login; without a refresh token, it ends with the access token.
    package init(_ tokens: IssuedTokens, _ request: LoginRequest, user: String?, keptUntil: Int64?, at now: Int64) {
        let (server, client) = (request.server, request.client)
        (id, generation, mark) = (Random.text().text ?? "", 0, nil)
        (issuer, clientID, authentication) = (server.issuer, client.id, client.authentication)
        (self.tokens, revocation, resource) = (server.tokens, server.revocation, request.resource)
        (scope, self.user) = ((tokens.scope ?? request.scope)?.cut(to: 1_000), user)
        (refreshToken, self.keptUntil) = (tokens.refresh ?? SecretBox(copying: RawSpan()), keptUntil)
        serverEnd = (tokens.refresh == nil ? tokens.lifetime : tokens.refreshLifetime).map { now + $0 }
    }

    /// Returns the login after a refresh; without a new refresh token, it keeps the old one.
    func rotated(by tokens: IssuedTokens, at now: Int64) -> Login {
        var login = self
        (login.generation, login.mark) = (generation + 1, nil)
        login.refreshToken = tokens.refresh ?? refreshToken
        login.serverEnd = tokens.refreshLifetime.map { now + $0 } ?? serverEnd
        return login
    }

    /// Whether the other record is the same login with the same refresh token, whatever its mark is.
    func isSame(as other: Login) -> Bool { id == other.id && generation == other.generation }

    /// Reads a stored record, which any program of the session can have written; `nil` for anything else.
    package init?(_ bytes: RawSpan) {
        let record = SecretBox(copying: bytes)
        guard let id = record.string("login"), !id.isEmpty, let generation = record.integer("generation"),
            generation >= 0, let issuer = record.string("issuer"), let clientID = record.string("client_id"),
            let authentication = record.string("authentication").flatMap(OAuthClient.Authentication.init),
            let tokens = record.string("token_endpoint").flatMap(ServerAddress.init),
            let refresh = record.secret("refresh_token")
        else { return nil }
        (self.id, self.generation, self.issuer, self.clientID) = (id, generation, issuer, clientID)
        (self.authentication, self.tokens, refreshToken) = (authentication, tokens, refresh)
        mark = record.string("mark").flatMap(Mark.init)
        revocation = record.string("revocation_endpoint").flatMap(ServerAddress.init)
        (scope, resource, user) = (record.string("scope"), record.string("resource"), record.string("user"))
        (keptUntil, serverEnd) = (record.integer("kept_until"), record.integer("server_end"))
    }

    package var record: SecretBytes {
        SecretBytes { json in
            json.append("{\"login\":", quoting: id)
            json.append(",\"generation\":\(generation)")
            let texts = [
                ("mark", mark?.rawValue), ("issuer", issuer), ("client_id", clientID),
                ("authentication", authentication.rawValue), ("token_endpoint", tokens.text),
                ("revocation_endpoint", revocation?.text), ("scope", scope), ("resource", resource), ("user", user),
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
    func refreshing(_ secret: SecretBox?) -> HTTPRequest {
        var form = Form([("grant_type", "refresh_token")])
        form.add("refresh_token", refreshToken)
        if let resource { form.add("resource", resource) }
        return client(secret).request(tokens, form)
    }

    /// Revokes a refresh token (RFC 7009); returns the reason if that is not possible.
    package func problem(revoking token: SecretBox, secret: SecretBox?, _ transport: Transport) -> String? {
        guard let revocation, token.count > 0 else { return "it can't revoke this login" }
        var form = Form([("token_type_hint", "refresh_token")])
        form.add("token", token)
        do throws(OAuthError) {
            let status = try client(secret).request(revocation, form).send(transport).status
            return (200..<300).contains(status) ? nil : "it answered with status \(status)"
        } catch {
            return error.reason
        }
    }

    /// Returns the client, with the secret that isn't stored.
    private func client(_ secret: SecretBox?) -> OAuthClient {
        OAuthClient(id: clientID, secret: secret, authentication)
    }
}
