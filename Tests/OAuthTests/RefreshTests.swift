import Foundation
import Glibc
import Keyutils
import SecretText
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import OAuth

/// Refreshes of a login, with a server in this process.
@Suite("Refreshes of an OAuth login", .tags(.kernel))
final class RefreshTests {
    private let scratch: ScratchKeyring
    private let store: SecretStore
    private let stored: StoredLogin

    init() throws {
        scratch = try ScratchKeyring()
        store = try scratch.store(namespace: StoredLogin.namespace)
        stored = StoredLogin(store, service: "work", account: "me")
    }

    private func logIn(_ login: Login) throws -> Login {
        try stored.replace(with: login)
        return login
    }

    private func code(_ server: ScriptedServer, issuer: String = issuer) -> OAuthError.Code? {
        #expect(throws: OAuthError.self) { try stored.refresh(server, issuer: issuer) }?.code
    }

    @Test("a refresh sends the token once, and stores the new one")
    func rotates() throws {
        let login = try logIn(newLogin("r0"))
        let server = ScriptedServer([tokens("a1", refresh: "r1")])
        #expect(try stored.refresh(server) == "a1")
        #expect(server.got == ["\(issuer)/token grant_type=refresh_token&refresh_token=r0&client_id=skr"])
        let new = try #require(try stored.read())
        #expect(new.refreshToken.text == "r1")
        #expect(new.generation == 1)
        #expect(new.id == login.id)
        #expect(!new.isInFlight)
    }

    @Test("while the request is on its way, the login is marked, and the lease names the process that sends")
    func marks() throws {
        _ = try logIn(newLogin("r0"))
        let seen = Locked<[Bool]>([])
        let server = ScriptedServer([tokens("a1")]) { [stored] _ in
            seen.withLock {
                $0 = [
                    (try? stored.read())??.isInFlight == true,
                    stored.backend.leaseReport("oauth:work:me")?.processID == getpid(),
                ]
            }
        }
        #expect(try stored.refresh(server) == "a1")
        #expect(seen.withLock { $0 } == [true, true])
        #expect(try store.backend.isLeaseHeld("oauth:work:me") == false)
    }

    @Test("an answer without a refresh token keeps the old one")
    func keeps() throws {
        _ = try logIn(newLogin("r0"))
        #expect(try stored.refresh(ScriptedServer([tokens("a1")])) == "a1")
        #expect(try stored.read()?.refreshToken.text == "r0")
        #expect(try stored.read()?.generation == 1)
    }

    @Test("without a login, or with one of another issuer or client, nothing is sent")
    func absent() throws {
        let server = ScriptedServer([tokens("a1")])
        #expect(code(server) == .loginNeeded)
        _ = try logIn(newLogin("r0"))
        #expect(code(server, issuer: "https://id.example.com/") == .loginNeeded)
        let other = Refresh(of: stored, issuer: issuer, clientID: "other", secret: nil, server.transport)
        #expect(throws: OAuthError.self) { try other.token() }
        #expect(server.got == [])
        #expect(try stored.read()?.isInFlight == false)
    }

    @Test("a request that was certainly not sent, or refused, leaves no mark")
    func unmarks() throws {
        _ = try logIn(newLogin("r0"))
        for (outcome, code) in [
            (HTTPOutcome.notSent(reason: "no host"), OAuthError.Code.tryAgain),
            (answer(401, #"{"error":"invalid_client"}"#), .refused),
            (answer(400, #"{"error":"invalid_grant"}"#), .loginNeeded),
            (answer(200, #"{"error":"bad_refresh_token"}"#), .loginNeeded),
        ] {
            #expect(self.code(ScriptedServer([outcome])) == code)
            #expect(try stored.read()?.isInFlight == false)
            #expect(try stored.read()?.refreshToken.text == "r0")
        }
    }

    @Test("a request whose fate is unknown leaves the mark, and the next refresh sends the token once more")
    func interrupted() throws {
        for (outcome, code) in [
            (HTTPOutcome.unknown(reason: "timeout"), OAuthError.Code.tryAgain), (answer(502, "x"), .tryAgain),
            (answer(200, "<html>"), .unusable),
        ] {
            _ = try logIn(newLogin("r0"))
            #expect(self.code(ScriptedServer([outcome])) == code)
            #expect(try stored.read()?.isInFlight == true)
            let server = ScriptedServer([tokens("a1", refresh: "r1")])
            #expect(try stored.refresh(server) == "a1")
            #expect(server.got.count == 1)
            #expect(try stored.read()?.isInFlight == false)
        }
    }

    @Test("if the server refuses the token of an interrupted refresh, the user logs in again, and nothing is deleted")
    func refusedAfterInterruption() throws {
        _ = try logIn(newLogin("r0"))
        _ = code(ScriptedServer([.unknown(reason: "timeout")]))
        let server = ScriptedServer([answer(400, #"{"error":"invalid_grant"}"#)])
        let error = #expect(throws: OAuthError.self) { try stored.refresh(server) }
        #expect(error?.code == .loginNeeded)
        #expect(error?.reason.hasPrefix("a refresh was interrupted") == true)
        #expect(server.got.count == 1)
        #expect(try stored.read()?.refreshToken.text == "r0")
        // Another error says nothing about the token.
        #expect(code(ScriptedServer([answer(401, #"{"error":"invalid_client"}"#)])) == .refused)
        #expect(try stored.read()?.isInFlight == true)
    }

    @Test("a logout during the request wins, and the new refresh token is revoked")
    func logout() throws {
        _ = try logIn(newLogin("r0"))
        let server = ScriptedServer([tokens("a1", refresh: "r1"), answer(200, "")]) { [stored] _ in
            _ = try? stored.remove()
        }
        #expect(code(server) == .loginNeeded)
        #expect(server.got.last == "\(issuer)/revoke token_type_hint=refresh_token&token=r1&client_id=skr")
        #expect(try stored.read() == nil)
    }

    @Test("a logout during the request without a new refresh token revokes nothing")
    func logoutWithoutRotation() throws {
        _ = try logIn(newLogin("r0"))
        let server = ScriptedServer([tokens("a1")]) { [stored] _ in _ = try? stored.remove() }
        #expect(code(server) == .loginNeeded)
        #expect(server.got.count == 1)
    }

    @Test("a new login during the request wins, and its token is the answer")
    func newLoginWins() throws {
        _ = try logIn(newLogin("r0"))
        let other = try newLogin("other-r0")
        let isFirst = Locked(true)
        let server = ScriptedServer([tokens("a1", refresh: "r1"), tokens("other-a1", refresh: "other-r1")]) {
            [stored] _ in
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }
                return isFirst
            }) {
                try? stored.replace(with: other)
            }
        }
        #expect(try stored.refresh(server) == "other-a1")
        #expect(server.got.count == 2)
        #expect(try stored.read()?.id == other.id)
        #expect(try stored.read()?.refreshToken.text == "other-r1")
    }

    @Test("if another process has rotated the login, its refresh token stays, and each has its own access token")
    func otherGeneration() throws {
        let login = try logIn(newLogin("r0"))
        guard case .tokens(let others) = TokenAnswer(tokens("a2", refresh: "r2")) else { return }
        let server = ScriptedServer([tokens("a1", refresh: "r1")]) { [stored] _ in
            try? stored.change { current in current.map { .store($0.rotated(by: others, at: 0)) } }
        }
        #expect(try stored.refresh(server) == "a1")
        #expect(try stored.read()?.refreshToken.text == "r2")
        #expect(try stored.read()?.generation == login.generation + 1)
    }

    @Test("a clear of the namespace during the request is a logout")
    func clear() throws {
        _ = try logIn(newLogin("r0"))
        let server = ScriptedServer([tokens("a1", refresh: "r1"), answer(200, "")]) { [store] _ in try? store.clear() }
        #expect(code(server) == .loginNeeded)
        #expect(server.got.count == 2)
    }

    @Test("a refresh that is ended before it is sent leaves the login unchanged")
    func ended() throws {
        _ = try logIn(newLogin("r0"))
        let server = ScriptedServer([tokens("a1")])
        let refresh = Refresh(of: stored, issuer: issuer, clientID: clientID, secret: nil, server.transport) {
            () throws(OAuthError) in throw OAuthError(.tryAgain, "ended")
        }
        #expect(throws: OAuthError.self) { try refresh.token() }
        #expect(server.got == [])
        #expect(try stored.read()?.isInFlight == false)
        #expect(try stored.refresh(server) == "a1")
    }

    @Test("eight threads that refresh at the same time send each token once")
    func threads() throws {
        _ = try logIn(newLogin("r0"))
        let count = Locked((sent: 0, problems: [String]()))
        DispatchQueue.concurrentPerform(iterations: 8) { [stored] _ in
            let transport: Transport = { request, started in
                started(getpid())
                return count.withLock { count in
                    let form = request.form?.text ?? ""
                    if !form.contains("refresh_token=r\(count.sent)&") { count.problems.append(form) }
                    count.sent += 1
                    return tokens("a\(count.sent)", refresh: "r\(count.sent)")
                }
            }
            do {
                _ = try Refresh(of: stored, issuer: issuer, clientID: clientID, secret: nil, transport).token()
            } catch {
                count.withLock { $0.problems.append("\(error)") }
            }
        }
        #expect(count.withLock { $0.problems } == [])
        #expect(try stored.read()?.generation == 8)
    }

    @Test("a login ends at the earlier of its two ends, which each refresh applies again")
    func ends() throws {
        let now = Int64(time(nil))
        _ = try logIn(newLogin("r0", keptUntil: now + 1_000, more: #","refresh_expires_in":500"#))
        #expect((now + 500...now + 501).contains(try #require(try stored.read()?.end)))
        let token = try Refresh(
            of: stored, issuer: issuer, clientID: clientID, secret: nil,
            ScriptedServer([tokens("a1", refresh: "r1", more: #","refresh_expires_in":5000"#)]).transport
        ).token()
        // No token outlives the end that the user has set.
        #expect((998...1_000).contains(token.seconds))
        #expect(try stored.read()?.end == now + 1_000)
        let left = try #require(try store.attributes(of: stored.item))
        guard case .after(let left) = left.expiry else {
            Issue.record("no end")
            return
        }
        #expect(left.atLeast <= .seconds(1_000))
    }

    @Test("a login whose end has passed does not count")
    func over() throws {
        try stored.replace(with: newLogin("r0", keptUntil: Int64(time(nil)) - 1))
        #expect(code(ScriptedServer([tokens("a1")])) == .loginNeeded)
    }

    @Test("a record comes back unchanged, and anything else does not count as a login")
    func records() throws {
        let login = try newLogin("r0", keptUntil: 1_790_000_000, more: #","scope":"a \"b\\ é","refresh_expires_in":9"#)
        let text = SecretBox(login.record).text ?? ""
        let read = try #require(text.utf8Span.span.bytes.withUnsafeBytes { Login($0.bytes) })
        #expect(SecretBox(read.record).text == text)
        #expect(read.refreshToken.text == login.refreshToken.text)
        for bad in [
            "", "{}", "[]", "null", text.replacingOccurrences(of: "\"login\":", with: "\"x\":"),
            text.replacingOccurrences(of: "\"generation\":0", with: "\"generation\":-1"),
            text.replacingOccurrences(of: "\"generation\":0", with: "\"generation\":\"x\""),
            text.replacingOccurrences(of: "https://id.example.com/token", with: "http://id.example.com/token"),
            text.replacingOccurrences(of: "\"authentication\":\"none\"", with: "\"authentication\":\"jwt\""),
        ] { #expect(bad.utf8Span.span.bytes.withUnsafeBytes { Login($0.bytes) } == nil, "\(bad)") }
    }

    @Test("a forged or torn record does not count as a login, and nothing is sent")
    func forged() throws {
        try store.set("{\"login\":1}", for: stored.item)
        let server = ScriptedServer([tokens("a1")])
        #expect(code(server) == .loginNeeded)
        #expect(server.got == [])
        #expect(try store.get(stored.item) == "{\"login\":1}")
    }
}
