import Foundation

/// An authorization server as a client sees it.
///
/// A login gives a token. Each refresh token gives the next token, but only once.
struct AuthorizationServer {
    /// The folder in which the server records its requests.
    let directory: URL

    /// The server's answer, as in RFC 6749, section 5.1.
    struct Token: Codable, Equatable, Sendable {
        var accessToken: String
        var refreshToken: String
        /// The lifetime in seconds.
        var expiresIn: Int
    }

    struct InvalidGrant: Error {}

    func login() async throws -> Token {
        try await issue(noting: "login", inPlaceOf: nil)
    }

    func refresh(_ token: Token) async throws -> Token {
        try await issue(noting: "refresh", inPlaceOf: token.refreshToken)
    }

    private func issue(noting event: String, inPlaceOf old: String?) async throws -> Token {
        try await Task.sleep(for: .milliseconds(300))
        let log = directory.appendingPathComponent("log").path
        let descriptor = open(log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw POSIXError(.EIO) }
        let events = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        // A refresh token can be used once.
        if let old, old != "refresh-\(events.count)" { throw InvalidGrant() }
        let line = event + "\n"
        guard write(descriptor, line, line.utf8.count) == line.utf8.count else { throw POSIXError(.EIO) }
        let number = events.count + 1
        return Token(accessToken: "access-\(number)", refreshToken: "refresh-\(number)", expiresIn: 22)
    }
}
