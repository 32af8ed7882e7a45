import Foundation

/// An authorization server that rotates its refresh tokens, as RFC 9700, section 4.14.2, recommends.
///
/// Each refresh token gives the next access token and the next refresh token, but only once. If a refresh token is used
/// a second time, a thief could have it. Then the server revokes the whole family: all tokens that come from the same
/// login.
///
/// The only state of the server is its log, one request a line. A client appends the line in one write, under the lock
/// of the file. So a client that is killed has either sent its whole request or nothing.
struct RotatingServer: Sendable {
    /// The folder with the log.
    let directory: URL

    /// The server's answer, as in RFC 6749, section 5.1.
    struct Token: Codable, Equatable, Sendable {
        var accessToken: String
        var refreshToken: String
        /// The lifetime of the access token in seconds.
        var expiresIn: Int
    }

    /// The server does not accept the refresh token.
    struct InvalidGrant: Error {}

    func logIn() throws -> Token {
        try answer { _ in Entry(event: .login) }
    }

    func refresh(_ refreshToken: String) throws -> Token {
        guard let number = refreshToken.split(separator: "-").last.flatMap({ Int($0) }) else { throw InvalidGrant() }
        return try answer { $0.entry(forRefreshTokenWith: number) }
    }

    /// Decides about a request, and notes it in the log.
    private func answer(_ decide: (TokenFamilies) -> Entry) throws -> Token {
        let path = directory.appendingPathComponent("log").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw POSIXError(.EIO) }
        var families = TokenFamilies()
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            guard let entry = Entry(line) else { throw POSIXError(.EINVAL) }
            families.apply(entry)
        }
        let entry = decide(families)
        let line = entry.line + "\n"
        guard write(descriptor, line, line.utf8.count) == line.utf8.count else { throw POSIXError(.EIO) }
        guard entry.event.givesToken else { throw InvalidGrant() }
        families.apply(entry)
        return Token(
            accessToken: "access-\(families.newest)", refreshToken: "refresh-\(families.newest)", expiresIn: 3_600)
    }
}

/// A line of the server's log: an event, and the number of the refresh token that the client has sent.
struct Entry {
    enum Event: String {
        case login
        case refresh
        /// A refresh token of a revoked family that had not been used before.
        case refused
        /// A refresh token that had been used before.
        case reuse
        /// All tokens so far were revoked; the test writes this line.
        case revoked

        var givesToken: Bool { self == .login || self == .refresh }
    }

    let event: Event
    let token: Int?

    init(event: Event, token: Int? = nil) {
        (self.event, self.token) = (event, token)
    }

    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard let event = words.first.flatMap({ Event(rawValue: String($0)) }) else { return nil }
        self.init(event: event, token: words.count > 1 ? Int(words[1]) : nil)
    }

    var line: String { token.map { "\(event.rawValue) \($0)" } ?? event.rawValue }
}

/// The tokens that the server has issued, and the logins that they come from.
struct TokenFamilies {
    /// The number of the login that each token comes from.
    ///
    /// The tokens are numbered from 1.
    private var families: [Int] = []
    private var logins = 0
    private var used: Set<Int> = []
    private var revoked: Set<Int> = []

    /// The number of the newest token.
    var newest: Int { families.count }

    func entry(forRefreshTokenWith number: Int) -> Entry {
        guard let family = family(of: number) else { return Entry(event: .refused, token: number) }
        if used.contains(number) { return Entry(event: .reuse, token: number) }
        return Entry(event: revoked.contains(family) ? .refused : .refresh, token: number)
    }

    mutating func apply(_ entry: Entry) {
        let family = entry.token.flatMap { self.family(of: $0) }
        switch entry.event {
        case .login:
            logins += 1
            families.append(logins)
        case .refresh:
            if let token = entry.token { used.insert(token) }
            families.append(family ?? 0)
        case .reuse: if let family { revoked.insert(family) }
        case .revoked: revoked.formUnion(families)
        case .refused: break
        }
    }

    private func family(of number: Int) -> Int? {
        families.indices.contains(number - 1) ? families[number - 1] : nil
    }
}
