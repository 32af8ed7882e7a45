import Glibc
import Keyutils
package import SecretText
import SessionKeyring

/// An access token for a program.
package struct AccessToken: Sendable {
    package let text: SecretBox
    /// How long it can be used, in seconds.
    package let seconds: Int64
    /// Whether the login that issues the next token could not be stored.
    package var isLast = false

    /// - Parameters:
    ///   - age: how long ago the token was requested.
    ///   - end: the Unix time until which the user wants to keep the login.
    package init(_ tokens: IssuedTokens, after age: Duration, until end: Int64?) {
        text = tokens.access
        seconds = min(tokens.usableSeconds(after: age), end.map { max(1, $0 - Int64(time(nil))) } ?? .max)
    }
}

/// The refresh of a login, by one process at a time, which uses each refresh token once.
///
/// A server can revoke a login if it sees a refresh token twice. So these are the steps. The words in parentheses state
/// what remains if the process dies at that step.
///
/// 1. *Lease*: the process takes the account's lease, which lasts longer than a request, and is not renewed.
/// 2. *Mark*: it marks the login as in flight, in one update. (A marked login whose token was not sent: the next process
///    sends it.)
/// 3. *Reserve*: it reserves the room for the new login, so that the answer can be stored on a full quota, begins to
///    watch the login, and reads it once more.
/// 4. *Send*: it sends the refresh token if enough of the lease is left for the longest request. The lease names the
///    process that sends, so nobody takes it over while that one runs. (A marked login whose token may be used up: the
///    next process sends it once more, and if the server refuses, the user has to log in.)
/// 5. *Store*: it replaces exactly the login that it has sent, in one step. (The login, rotated; the access token is
///    lost, and the next process refreshes again.)
///
/// A logout or a new login takes no lease. Steps 3 and 5 notice both. A refused token is marked, so that nobody sends it
/// again.
package struct Refresh {
    /// How long the lease lasts, and how much of it a request needs.
    static let leaseDuration = Duration.seconds(45)
    static let requestDuration = Duration.seconds(32)
    private static let waitLimit = Duration.seconds(50)
    package static let noLogin = OAuthError(.loginNeeded, "not logged in")

    private let stored: StoredLogin
    private let issuer: String
    private let clientID: String
    private let secret: SecretBox?
    private let transport: Transport
    private let begin: () throws(OAuthError) -> Void

    /// - Parameters:
    ///   - issuer: the issuer that the login must have.
    ///   - clientID: the client that the login must have.
    ///   - begin: called before the refresh token is sent; throws if this process is being ended.
    package init(
        of stored: StoredLogin, issuer: String, clientID: String, secret: SecretBox?, _ transport: @escaping Transport,
        begin: @escaping () throws(OAuthError) -> Void = {}
    ) {
        (self.stored, self.issuer, self.clientID, self.secret) = (stored, issuer, clientID, secret)
        (self.transport, self.begin) = (transport, begin)
    }

    /// Returns a new access token.
    package func token() throws(OAuthError) -> AccessToken {
        // Without a login, nobody waits for the lease.
        _ = try checked(try stored.read())
        let lease = try stored.attempt(upTo: Self.waitLimit) { effort throws(SecretStoreError) in
            try stored.backend.takeLease(stored.leaseName, lasting: Self.leaseDuration, effort)
        }
        defer { _ = lease.release() }
        let login = try mark()
        let room: any ItemFetch
        do throws(OAuthError) {
            room = try reserve(for: login)
            try begin()
        } catch {
            unmark(login, under: lease)
            throw error
        }
        let start = ContinuousClock.now
        let answer = TokenAnswer(
            transport(login.refreshing(secret)) { process in
                (try? lease.name(command: process)) == true && lease.timeLeft > Self.requestDuration
            })
        switch answer {
        case .tokens(let tokens):
            let token = AccessToken(tokens, after: .now - start, until: login.keptUntil)
            return try keep(login.rotated(by: tokens, at: Int64(time(nil))), tokens, insteadOf: login, in: room, token)
        case .refused("invalid_grant", let error):
            unmark(login, .refused, under: lease)
            throw OAuthError(
                .loginNeeded,
                login.mark == nil ? error.reason : "a refresh was interrupted, and the server refuses the old login")
        case .refused(_, let error), .notSent(let error):
            unmark(login, under: lease)
            throw OAuthError(error.code == .tryAgain ? .tryAgain : .refused, error.reason)
        case .unknown(let error): throw error
        }
    }

    private func checked(_ login: Login?) throws(OAuthError) -> Login {
        guard let login, !login.isOver, login.refreshToken.count > 0 else { throw Self.noLogin }
        guard login.issuer == issuer, login.clientID == clientID else {
            throw OAuthError(.loginNeeded, "the login is one of another issuer or client")
        }
        guard login.mark != .refused else { throw OAuthError(.loginNeeded, "the server has refused the login") }
        return login
    }

    /// Marks the login as in flight, and returns the unmarked one.
    private func mark() throws(OAuthError) -> Login {
        var found: Login?
        try stored.change { login in
            found = login
            guard login?.mark == nil, (try? checked(login)) != nil else { return false }
            login?.mark = .inFlight
            return true
        }
        return try checked(found)
    }

    /// Replaces the mark that this process has set.
    ///
    /// If that fails, the next process just sends the token.
    private func unmark(_ login: Login, _ mark: Login.Mark? = nil, under lease: any LeaseHandle) {
        // After the lease, the mark can be another process's. An earlier interruption stays known until the server
        // has accepted or refused the token.
        guard lease.timeLeft > .zero, mark != nil || login.mark == nil else { return }
        try? stored.change { current in
            guard current?.isSame(as: login) == true else { return false }
            current?.mark = mark
            return true
        }
    }

    /// Reserves the room for the new login, and begins to watch the old one.
    private func reserve(for login: Login) throws(OAuthError) -> any ItemFetch {
        let room = try stored.attempt { effort throws(SecretStoreError) in
            try stored.backend.beginFetch(of: stored.item, reserving: login.record.count, effort)
        }
        // A logout or another login can have come between the mark and the watch.
        guard let room, let current = try stored.read() else { throw Self.noLogin }
        guard current.isSame(as: login), current.mark == .inFlight else {
            throw OAuthError(.tryAgain, "the login has changed meanwhile")
        }
        return room
    }

    /// Stores the rotated login if the old one is still there; returns the answer for the program.
    private func keep(
        _ new: Login, _ tokens: IssuedTokens, insteadOf old: Login, in room: any ItemFetch, _ token: AccessToken
    ) throws(OAuthError) -> AccessToken {
        if (try? isStored(new, in: room)) == true { return token }
        var current: Login?
        do throws(OAuthError) {
            try stored.change { login in
                current = login
                guard login?.isSame(as: old) == true else { return false }
                login = new
                return true
            }
        } catch {
            var token = token
            token.isLast = true
            return token
        }
        if let current {
            guard current.id == old.id else { throw OAuthError(.tryAgain, "the user has logged in again meanwhile") }
            return token
        }
        // The server has got the logout's revocation of the old token, but not of this one.
        let problem = tokens.refresh.flatMap { new.problem(revoking: $0, secret: secret, transport) }
        let remark = problem.map { "; the server has not revoked the new login: \($0)" } ?? ""
        throw OAuthError(.loginNeeded, "logged out during the refresh\(remark)")
    }

    /// Stores the login in the reserved room; false if something happened to the old one.
    private func isStored(_ login: Login, in room: any ItemFetch) throws(OAuthError) -> Bool {
        let record = login.record
        return try stored.attempt { effort throws(SecretStoreError) in
            try record.withBytes { bytes throws(SecretStoreError) in
                try room.store(bytes, timeout: login.timeout, nil, effort)
            }
        } != .nothing
    }
}
