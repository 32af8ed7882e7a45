import Keyutils
package import SecretText

/// The answer of a token endpoint (RFC 6749, section 5).
package enum TokenAnswer: Sendable {
    case tokens(IssuedTokens)
    /// The server has refused the request, and so has not acted on it.
    case refused(name: String, OAuthError)
    /// The server has certainly not got the request.
    case notSent(OAuthError)
    /// The server may have acted on the request.
    case unknown(OAuthError)

    /// Judges an answer by its `error` member, which some servers send with status 200.
    package init(_ outcome: HTTPOutcome) {
        switch outcome {
        case .notSent(let reason): self = .notSent(OAuthError(.tryAgain, reason))
        case .unknown(let reason): self = .unknown(OAuthError(.tryAgain, reason))
        case .answer(let status, let body):
            if (200..<500).contains(status), let name = body.string("error") {
                let usual = name == "bad_refresh_token" ? "invalid_grant" : name
                let error = OAuthError(named: usual, body.string("error_description"))
                let isRateLimit = status == 408 || status == 429
                self = .refused(name: usual, isRateLimit ? OAuthError(.tryAgain, error.reason) : error)
            } else if status == 200 {
                let problem = OAuthError(.unusable, "the server's answer has no usable token")
                self = IssuedTokens(body).map { .tokens($0) } ?? .unknown(problem)
            } else {
                self = .unknown(OAuthError(.tryAgain, "the server answered with status \(status)"))
            }
        }
    }
}

/// The tokens that a server has issued, and their lifetimes.
package struct IssuedTokens: Sendable {
    package let access: SecretBox
    package let refresh: SecretBox?
    /// How long the access token is valid, in seconds from the request on; `nil` if the server doesn't say.
    package let lifetime: Int64?
    /// How long the refresh token is valid, in seconds from the request on; `nil` if the server doesn't say.
    package let refreshLifetime: Int64?
    package let scope: String?

    /// No token lives longer than ten years, so a larger number means something else.
    package static let longest: Int64 = 315_576_000

    init?(_ body: SecretBox) {
        func seconds(_ name: String) -> Int64? {
            body.integer(name).flatMap { (1...Self.longest).contains($0) ? $0 : nil }
        }
        guard let access = body.secret("access_token"), Self.isToken(access) else { return nil }
        if let type = body.string("token_type"), type.asciiLowercased != "bearer" { return nil }
        self.access = access
        refresh = body.secret("refresh_token").flatMap { $0.count > 0 ? $0 : nil }
        // A lifetime that can't be read could be over at any time.
        let first = body.bytes.withBytes { JSONField.firstByte(of: JSONPath("expires_in"), in: $0) }
        lifetime = seconds("expires_in") ?? (first == nil || first == UInt8(ascii: "n") ? nil : 1)
        // Keycloak's 0 means that the login doesn't end.
        refreshLifetime = seconds("refresh_expires_in") ?? seconds("refresh_token_expires_in")
        scope = body.string("scope")
    }

    /// Whether the text can stand in a header, and in quotes.
    private static func isToken(_ text: SecretBox) -> Bool {
        text.bytes.withBytes { bytes in
            (0..<bytes.byteCount).allSatisfy {
                (0x21...0x7E).contains(bytes[$0]) && !"\"\\".utf8.contains(bytes[$0])
            } && bytes.byteCount > 0
        }
    }

    /// How long an access token is used: until a little before its end, because clocks and requests need time.
    ///
    /// - Parameter age: how long ago it was requested.
    package func usableSeconds(after age: Duration) -> Int64 {
        guard let lifetime else { return Self.longest }
        let left = Duration.seconds(lifetime) - age - min(.seconds(60), .seconds(lifetime) / 10)
        return max(1, left.components.seconds)
    }
}
