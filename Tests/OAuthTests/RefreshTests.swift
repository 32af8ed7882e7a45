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
        #expect(new.mark == nil)
    }

    @Test("while the request is on its way, the login is marked, and the lease names the process that sends")
    func marks() throws {
        _ = try logIn(newLogin("r0"))
        let seen = Locked<[Bool]>([])
        let server = ScriptedServer([tokens("a1")]) { [stored] _ in
            seen.withLock {
                $0 = [
                    (try? stored.read())??.mark == .inFlight,
                    stored.backend.leaseReport("oauth:work:me")?.processID == getpid(),
                ]
            }
        }
        #expect(try stored.refresh(server) == "a1")
        #expect(seen.withLock { $0 } == [true, true])
        #expect(try store.backend.isLeaseHeld("oauth:work:me") == false)
    }

    @Test("the lease names the process that is going to send")
    func names() throws {
        _ = try logIn(newLogin("r0"))
        let backend = ClosingBackend(whole: store.backend)
        let refresh = Refresh(
            of: StoredLogin(SecretStore(backend: backend), service: "work", account: "me"), issuer: issuer,
            clientID: clientID, secret: nil
        ) { _, mayStart in
            _ = mayStart(4_242)
            return .notSent(reason: "a test")
        }
        #expect(throws: OAuthError.self) { try refresh.token() }
        #expect(backend.named.withLock { $0 } == [4_242])
    }

    @Test("the answer is stored by an update if another fetch has ended the watch")
    func otherWatch() throws {
        _ = try logIn(newLogin("r0"))
        let server = ScriptedServer([tokens("a1", refresh: "r1")]) { [stored] _ in
            _ = try? stored.attempt { effort throws(SecretStoreError) in
                try stored.backend.beginFetch(of: stored.item, reserving: nil, effort)
            }
        }
        #expect(try stored.refresh(server) == "a1")
        #expect(try stored.read()?.refreshToken.text == "r1")
        #expect(try stored.read()?.mark == nil)
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
        #expect(try stored.read()?.mark == nil)
    }

    @Test("a request that was certainly not sent, or refused for another reason than the token, leaves no mark")
    func unmarks() throws {
        _ = try logIn(newLogin("r0"))
        for (outcome, code) in [
            (HTTPOutcome.notSent(reason: "no host"), OAuthError.Code.tryAgain),
            (answer(401, #"{"error":"invalid_client"}"#), .refused),
            (answer(400, #"{"error":"unauthorized_client"}"#), .refused),
            (answer(429, #"{"error":"rate_limit_exceeded"}"#), .tryAgain),
            (answer(400, #"{"error":"slow_down"}"#), .tryAgain),
        ] {
            #expect(self.code(ScriptedServer([outcome])) == code)
            #expect(try stored.read()?.mark == nil)
            #expect(try stored.read()?.refreshToken.text == "r0")
        }
    }

    @Test(
        "a refused token is not sent again, and the login stays until the next one",
        arguments: [(400, "invalid_grant"), (200, "bad_refresh_token")])
    func refused(_ status: Int, _ name: String) throws {
        _ = try logIn(newLogin("r0"))
        let server = ScriptedServer([answer(status, #"{"error":"\#(name)"}"#), tokens("a1")])
        #expect(code(server) == .loginNeeded)
        #expect(code(server) == .loginNeeded)
        #expect(server.got.count == 1)
        #expect(try stored.read()?.refreshToken.text == "r0")
        _ = try logIn(newLogin("r1"))
        #expect(try stored.refresh(server) == "a1")
    }

    @Test("a request whose fate is unknown leaves the mark, and the next refresh sends the token once more")
    func interrupted() throws {
        for (outcome, code) in [
            (HTTPOutcome.unknown(reason: "timeout"), OAuthError.Code.tryAgain), (answer(502, "x"), .tryAgain),
            (answer(200, "<html>"), .unusable),
        ] {
            _ = try logIn(newLogin("r0"))
            #expect(self.code(ScriptedServer([outcome])) == code)
            #expect(try stored.read()?.mark == .inFlight)
            let server = ScriptedServer([tokens("a1", refresh: "r1")])
            #expect(try stored.refresh(server) == "a1")
            #expect(server.got.count == 1)
            #expect(try stored.read()?.mark == nil)
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
    }

    @Test("another error says nothing about the token of an interrupted refresh")
    func otherErrorAfterInterruption() throws {
        _ = try logIn(newLogin("r0"))
        _ = code(ScriptedServer([.unknown(reason: "timeout")]))
        #expect(code(ScriptedServer([answer(401, #"{"error":"invalid_client"}"#)])) == .refused)
        #expect(try stored.read()?.mark == .inFlight)
    }

    @Test("a logout during the request wins, and the new refresh token is revoked")
    func logout() throws {
        _ = try logIn(newLogin("r0"))
        let server = ScriptedServer([tokens("a1", refresh: "r1"), answer(200, "")]) { [stored] _ in
            _ = try? stored.replace(with: nil)
        }
        #expect(code(server) == .loginNeeded)
        #expect(server.got.last == "\(issuer)/revoke token_type_hint=refresh_token&token=r1&client_id=skr")
        #expect(try stored.read() == nil)
    }

    @Test("a logout during the request without a new refresh token revokes nothing")
    func logoutWithoutRotation() throws {
        _ = try logIn(newLogin("r0"))
        let server = ScriptedServer([tokens("a1")]) { [stored] _ in _ = try? stored.replace(with: nil) }
        #expect(code(server) == .loginNeeded)
        #expect(server.got.count == 1)
    }

    @Test("a new login during the request wins, and is not used up")
    func newLoginWins() throws {
        _ = try logIn(newLogin("r0"))
        let other = try newLogin("other-r0")
        let server = ScriptedServer([tokens("a1", refresh: "r1")]) { [stored] _ in
            _ = try? stored.replace(with: other)
        }
        #expect(code(server) == .tryAgain)
        #expect(server.got.count == 1)
        #expect(try stored.read()?.id == other.id)
        #expect(try stored.read()?.refreshToken.text == "other-r0")
    }

    @Test("a logout or a new login between the mark and the watch wins, and nothing is sent", arguments: [true, false])
    func changedBeforeTheWatch(isLogout: Bool) throws {
        _ = try logIn(newLogin("r0"))
        let other = try isLogout ? nil : newLogin("other-r0")
        let backend = ClosingBackend(whole: store.backend) { [stored] in _ = try? stored.replace(with: other) }
        let server = ScriptedServer([tokens("a1", refresh: "r1")])
        let refresh = Refresh(
            of: StoredLogin(SecretStore(backend: backend), service: "work", account: "me"), issuer: issuer,
            clientID: clientID, secret: nil, server.transport)
        #expect(throws: OAuthError.self) { try refresh.token() }
        #expect(server.got == [])
        #expect(try stored.read()?.id == other?.id)
    }

    @Test("if another process has rotated the login, its refresh token stays, and each has its own access token")
    func otherGeneration() throws {
        let login = try logIn(newLogin("r0"))
        guard case .tokens(let others) = TokenAnswer(tokens("a2", refresh: "r2")) else { return }
        let server = ScriptedServer([tokens("a1", refresh: "r1")]) { [stored] _ in
            try? stored.change { current in
                current = current?.rotated(by: others, at: 0)
                return true
            }
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
        #expect(try stored.read()?.mark == nil)
        #expect(try stored.refresh(server) == "a1")
    }

    @Test("eight threads that refresh at the same time send each token once", .tags(.threads))
    func threads() throws {
        _ = try logIn(newLogin("r0"))
        let count = Locked((sent: 0, problems: [String]()))
        DispatchQueue.concurrentPerform(iterations: 8) { [stored] _ in
            let transport: Transport = { request, mayStart in
                guard mayStart(getpid()) else { return .notSent(reason: "not started") }
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

    @Test(
        "an ordinary user's login of 8 KB is refreshed within the quota; if the quota is full, nothing is sent",
        .tags(.root), .enabled(if: isRoot))
    func quota() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try OrdinaryUser.becomeInNewSession(60_486)
            let store = try SecretStore(.session, namespace: StoredLogin.namespace)
            let stored = StoredLogin(store, service: "work", account: "me")
            let large = String(repeating: "x", count: 8_000)
            try stored.replace(with: newLogin("r0\(large)"))
            for round in 1...4 {
                succeed(1, try stored.refresh(ScriptedServer([tokens("a", refresh: "r\(round)\(large)")])) == "a")
                succeed(2, try stored.read()?.refreshToken.text == "r\(round)\(large)")
            }
            let fillers = try session.addKeyring("fillers")
            var size = 4_096
            while size > 0 {
                let payload = [UInt8](repeating: 1, count: size)
                if (try? fillers.add(.user, "filler \(UUID())", payload: payload.span.bytes)) == nil { size /= 2 }
            }
            let server = ScriptedServer([tokens("a", refresh: "r5")])
            do throws(OAuthError) {
                _ = try stored.refresh(server)
                succeed(3, false)
            } catch {
                succeed(4, error.code == .tryAgain && server.got.isEmpty)
            }
            succeed(5, try stored.read()?.refreshToken.text == "r4\(large)")
            try fillers.clear()
            for _ in 0..<300 where (try? KeyQuota.current().bytes) ?? 0 > 12_000 { usleep(20_000) }
            succeed(6, try stored.refresh(server) == "a")
        }
    }

    @Test(
        "if the quota fills up while the request is on its way, the answer has room", .tags(.root), .enabled(if: isRoot)
    )
    func quotaInFlight() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try OrdinaryUser.becomeInNewSession(60_487)
            let store = try SecretStore(.session, namespace: StoredLogin.namespace)
            let stored = StoredLogin(store, service: "work", account: "me")
            try stored.replace(with: newLogin("r0"))
            let server = ScriptedServer([tokens("a", refresh: "r1" + String(repeating: "x", count: 900))]) { _ in
                var size = 4_096
                while size > 0 {
                    let payload = [UInt8](repeating: 1, count: size)
                    if (try? session.add(.user, "filler \(UUID())", payload: payload.span.bytes)) == nil { size /= 2 }
                }
            }
            succeed(1, try stored.refresh(server) == "a")
            succeed(2, try stored.read()?.refreshToken.text?.hasPrefix("r1x") == true)
        }
    }

    @Test("if the new login can't be stored, the token is handed out, and is the last one")
    func last() throws {
        _ = try logIn(newLogin("r0"))
        let backend = ClosingBackend(whole: store.backend)
        let closing = SecretStore(backend: backend)
        let server = ScriptedServer([tokens("a1", refresh: "r1")]) { _ in backend.close() }
        let token = try Refresh(
            of: StoredLogin(closing, service: "work", account: "me"), issuer: issuer, clientID: clientID, secret: nil,
            server.transport
        ).token()
        #expect(token.text.text == "a1")
        #expect(token.isLast)
        #expect(try stored.read()?.mark == .inFlight)
    }

    @Test("a process that was stopped for too long before it sends doesn't send")
    func late() throws {
        _ = try logIn(newLogin("r0"))
        let short = SecretStore(backend: ClosingBackend(whole: store.backend, leaseDuration: .seconds(20)))
        let server = ScriptedServer([tokens("a1")])
        let refresh = Refresh(
            of: StoredLogin(short, service: "work", account: "me"), issuer: issuer, clientID: clientID, secret: nil,
            server.transport)
        #expect(throws: OAuthError.self) { try refresh.token() }
        #expect(server.got == [])
        #expect(try stored.read()?.mark == nil)
    }
}
