#if EncryptedSessions
    import Crypto
#endif
import Keyutils
package import SecretText

/// The authorization code flow with PKCE (RFC 6749, section 4.1; RFC 7636): the user logs in with a browser, which then
/// calls an address of this machine, or whose last address the user pastes.
package struct CodeFlow {
    /// The address for the browser.
    package let address: String
    private let login: LoginRequest
    private let redirect: String
    private let state: String
    private let verifier: SecretBox

    /// - Parameters:
    ///   - redirect: the address to which the browser returns.
    ///   - extra: further parameters of the authorization request.
    package init(_ login: LoginRequest, redirect: String, extra: [(String, String)]) throws(OAuthError) {
        guard let endpoint = login.server.authorization else {
            throw OAuthError(
                .flowRefused, "the server has no login with a browser", hint: "log in on another device: --device")
        }
        (self.login, self.redirect) = (login, redirect)
        (state, verifier) = (Random.text().text ?? "", Random.text())
        var form = Form([
            ("response_type", "code"), ("client_id", login.client.id), ("redirect_uri", redirect), ("state", state),
            ("code_challenge", try Self.challenge(verifier)), ("code_challenge_method", "S256"),
        ])
        if let scope = login.scope { form.add("scope", scope) }
        if let resource = login.resource { form.add("resource", resource) }
        for (name, value) in extra {
            guard !form.contains(name) else {
                throw OAuthError(
                    .unusable, "the parameter '\(name)' is already set", hint: "leave out that --auth-parameter")
            }
            form.add(name, value)
        }
        let separator = endpoint.text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        address = "\(endpoint.text)\(separator)\(form.encoded.text ?? "")"
    }

    static func challenge(_ verifier: SecretBox) throws(OAuthError) -> String {
        #if EncryptedSessions
            verifier.bytes.withBytes { bytes in
                var hash = SHA256()
                unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
                return unsafe hash.finalize().withUnsafeBytes { unsafe base64URL($0.bytes) }
            }
        #else
            throw OAuthError(
                .flowRefused, "this program was built without cryptography, which a login with a browser needs",
                hint: "build it with the trait EncryptedSessions")
        #endif
    }

    /// Returns Base64 with the alphabet for URLs (RFC 4648, section 5), without padding.
    private static func base64URL(_ bytes: RawSpan) -> String {
        SecretBytes { $0.appendBase64(bytes) }.withBytes { String(lossy: $0) }
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Reads the answer from the query of the address that the browser was sent to.
    ///
    /// - Returns: the code; `nil` without the state of this login, which another user of this machine doesn't know.
    package func code(in query: some Collection<UInt8>) throws(OAuthError) -> SecretBox? {
        let fields = Form.fields(of: query)
        func field(_ name: String) -> String? {
            let values = fields.filter { $0.name == name }
            return values.count == 1 ? values[0].value : nil
        }
        guard field("state") == state else { return nil }
        // Another server's answer, with which it could get our code (RFC 9207).
        let isOurs = field("iss").map { $0 == login.server.issuer } ?? !login.server.namesIssuer
        if let name = field("error") {
            let error = OAuthError(named: name, field("error_description"))
            throw OAuthError(isOurs ? error.code : .refused, error.reason)
        }
        guard isOurs else { throw OAuthError(.refused, "the answer is that of another issuer") }
        guard let code = field("code"), !code.isEmpty else {
            throw OAuthError(.unusable, "the server's answer has no code")
        }
        return unsafe SecretBox(copying: code.utf8Span.span.bytes)
    }

    /// Returns the request that exchanges the code for tokens.
    package func request(code: SecretBox) -> HTTPRequest {
        var form = Form([("grant_type", "authorization_code"), ("redirect_uri", redirect)])
        form.add("code", code)
        form.add("code_verifier", verifier)
        if let resource = login.resource { form.add("resource", resource) }
        return login.client.request(login.server.tokens, form)
    }
}

/// The address of this machine to which the browser returns.
package struct Redirect {
    /// The whole address, with the port.
    package let address: ServerAddress

    /// - Parameter port: the port of our listener; it replaces a missing one.
    /// - Returns: `nil` for another address than one of https, 127.0.0.1 or localhost.
    package init?(_ text: String, port: UInt16?) {
        guard let address = ServerAddress(text), address.port != 0 else { return nil }
        let needsPort = address.isLoopback && address.port == nil
        let addition = port.flatMap { needsPort ? ":\($0)" : nil } ?? ""
        let full = text.replacing(address.authority, with: address.authority + addition, maxReplacements: 1)
        guard let address = ServerAddress(full) else { return nil }
        self.address = address
    }

    /// The result of reading the beginning of a connection.
    package enum Reading {
        /// The request is not complete.
        case incomplete
        /// The query of the address that was called.
        case query([UInt8])
        /// Something else than the browser's return.
        case other
    }

    /// The largest request in bytes.
    package static let limit = 8_192

    /// Reads a request: only a GET of exactly our path, for exactly our host and port.
    package func read(_ request: [UInt8]) -> Reading {
        let lines = request.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        guard let end = lines.dropLast().firstIndex(where: \.isEmpty) else {
            return request.count < Self.limit ? .incomplete : .other
        }
        guard end > 0 else { return .other }
        let words = lines[0].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let hosts = lines[1..<end].filter { $0.prefix(5).map { $0 | 0x20 }.elementsEqual("host:".utf8) }
        let path = address.path.isEmpty ? "/" : address.path
        guard words.count == 3, words[0].elementsEqual("GET".utf8), words[2].starts(with: "HTTP/1.".utf8),
            hosts.count == 1, isOurs(host: hosts[0].dropFirst(5)),
            words[1].prefix(while: { $0 != UInt8(ascii: "?") }).elementsEqual(path.utf8)
        else { return .other }
        return .query(Array(words[1].dropFirst(path.utf8.count + 1)))
    }

    private func isOurs(host: ArraySlice<UInt8>) -> Bool {
        let host = host.drop { $0 == UInt8(ascii: " ") }
        let text = String(decoding: host, as: UTF8.self).asciiLowercased
        return text == address.authority || address.port == 80 && text == address.host
    }

    /// Returns the query of an address that the user pastes; empty for another text.
    package static func query(ofPasted text: [UInt8]) -> [UInt8] {
        // A terminal can put the escape sequences of a bracketed paste around the text.
        let rest = text.drop { $0 != UInt8(ascii: "?") }.dropFirst().prefix { $0 != UInt8(ascii: "#") && $0 != 0x1B }
        return rest.filter { $0 > 0x20 && $0 < 0x7F }
    }
}
