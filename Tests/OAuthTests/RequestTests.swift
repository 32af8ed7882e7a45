import Keyutils
import SecretText
import Testing

@testable import OAuth

/// Addresses, forms and answers.
@Suite("Requests of OAuth")
struct RequestTests {
    @Test(
        "an address is one of https, or of http on this machine",
        arguments: [
            "https://id.example.com", "https://id.example.com:8443/a/b?c=d", "http://127.0.0.1:8080/",
            "http://localhost", "http://localhost:80/x",
        ])
    func addresses(_ text: String) { #expect(ServerAddress(text)?.text == text) }

    @Test(
        "no other address is used",
        arguments: [
            "http://id.example.com", "http://127.0.0.1.example.com/", "http://localhost@example.com/", "https://",
            "https://a@b/", "https://id.example.com/#x", "https://id.example.com/\"\nurl = x", "https://a b/",
            "ftp://x/",
            "file:///etc/passwd", "https://é/", "HTTPS://id.example.com", "", "http://127.0.0.1:80@example.com",
            "https://a\\b/", "http://localhost:x/", "http://localhost:/", "http://[::1]/",
        ])
    func noAddresses(_ text: String) { #expect(ServerAddress(text) == nil) }

    @Test("an address has a host, a port and a path")
    func parts() throws {
        let address = try #require(ServerAddress("http://127.0.0.1:8080/a/b?c=/d"))
        #expect(address.host == "127.0.0.1")
        #expect(address.port == 8080)
        #expect(address.path == "/a/b")
        #expect(ServerAddress("http://localhost")?.port == nil)
        #expect(ServerAddress("https://h?x")?.path == "")
    }

    @Test("a form encodes everything but letters, digits and four marks, and can be decoded")
    func forms() {
        let form = Form([("a b", "c&d=e"), ("x", "é+%\n~-._")])
        #expect(form.encoded.text == "a%20b=c%26d%3De&x=%C3%A9%2B%25%0A~-._")
        let fields = Form.fields(of: (form.encoded.text ?? "").utf8)
        #expect(fields.map(\.name) == ["a b", "x"])
        #expect(fields.map(\.value) == ["c&d=e", "é+%\n~-._"])
        #expect(Form.fields(of: "a+b=c+d&%zz=1&=&k".utf8).map { "\($0.name)|\($0.value)" } == ["a b|c d", "|", "k|"])
    }

    @Test("a client without a secret sends its name, and one with a secret shows it as the server wants")
    func clients() throws {
        let address = try #require(ServerAddress("https://id.example.com/token"))
        func sent(_ secret: String?, _ supported: [String]) throws -> [String?] {
            let list = supported.map { "\"\($0)\"" }.joined(separator: ",")
            let more = supported.isEmpty ? "" : ",\"token_endpoint_auth_methods_supported\":[\(list)]"
            let login = LoginRequest(try server(more: more), clientID: "a:b", secret: secret.map(box))
            let request = login.client.request(address, Form())
            return [request.form?.text, request.authorization?.text]
        }
        #expect(try sent(nil, ["client_secret_basic"]) == ["client_id=a%3Ab", nil])
        // "a%3Ab:s%20t"
        #expect(try sent("s t", []) == ["", "Basic YSUzQWI6cyUyMHQ="])
        #expect(try sent("s t", ["client_secret_post", "client_secret_basic"]) == ["", "Basic YSUzQWI6cyUyMHQ="])
        #expect(try sent("s t", ["client_secret_post"]) == ["client_id=a%3Ab&client_secret=s%20t", nil])
        #expect(try sent("s t", ["private_key_jwt"]) == ["", "Basic YSUzQWI6cyUyMHQ="])
    }

    @Test(
        "an error member decides, whatever the status is, except for the server's own failures",
        arguments: [
            (200, "bad_refresh_token", "invalid_grant"), (400, "invalid_grant", "invalid_grant"),
            (401, "invalid_client", "invalid_client"), (499, "slow_down", "slow_down"),
        ])
    func errors(_ status: Int, _ sent: String, _ name: String) {
        guard case .refused(name, let error) = TokenAnswer(answer(status, #"{"error":"\#(sent)"}"#)) else {
            Issue.record("not refused")
            return
        }
        #expect(error.reason == "the server answered \(name)")
    }

    @Test(
        "an answer without usable tokens leaves the request's fate unknown",
        arguments: [
            (500, #"{"error":"invalid_grant"}"#), (503, "busy"), (302, ""), (200, ""), (200, "<html>"), (200, "[]"),
            (200, #"{"access_token":""}"#), (200, #"{"access_token":7}"#), (200, #"{"access_token":"a b"}"#),
            (200, #"{"access_token":"a\n"}"#), (200, #"{"access_token":"a\\r\\nX: y"}"#),
            (200, #"{"access_token":"a\"b"}"#), (200, #"{"access_token":"a","token_type":"DPoP"}"#), (201, "{}"),
            (404, "no"), (429, "slow"), (200, #"{"access_token":"a""#),
        ])
    func unusable(_ status: Int, _ body: String) {
        guard case .unknown = TokenAnswer(answer(status, body)) else {
            Issue.record("not unknown")
            return
        }
    }

    @Test("a description is shown up to 300 characters")
    func description() {
        let body = #"{"error":"access_denied","error_description":"\#(String(repeating: "x", count: 10_000))"}"#
        guard case .refused(_, let error) = TokenAnswer(answer(400, body)) else {
            Issue.record("not refused")
            return
        }
        #expect(error.reason.hasPrefix("the server answered access_denied: xxx"))
        #expect(error.reason.count == 300)
    }

    @Test("lifetimes are whole seconds, also in a string, and impossible ones end after a second")
    func lifetimes() {
        func lifetime(_ text: String) -> Int64? {
            guard
                case .tokens(let tokens) = TokenAnswer(
                    answer(200, #"{"access_token":"a","token_type":"bearer","expires_in":\#(text)}"#))
            else { return -1 }
            return tokens.lifetime
        }
        let cases: [(String, Int64?)] = [
            ("3600", 3_600), (#""3600""#, 3_600), ("3600.9", 3_600), ("0", 1), ("-5", 1), ("1e400", 1),
            ("null", nil), ("1790000000", 1), (#""soon""#, 1), ("true", 1), ("315576000", 315_576_000),
        ]
        for (text, seconds) in cases { #expect(lifetime(text) == seconds, "\(text)") }
    }

    @Test("a login without a usable end doesn't end: Keycloak's offline tokens have the lifetime 0")
    func refreshLifetimes() {
        for name in ["refresh_expires_in", "refresh_token_expires_in"] {
            for (text, seconds) in [("600", 600), ("0", nil), ("null", nil), (#""soon""#, nil)] as [(String, Int64?)] {
                guard case .tokens(let tokens) = TokenAnswer(tokens("a", more: #","\#(name)":\#(text)"#)) else {
                    Issue.record("no tokens")
                    continue
                }
                #expect(tokens.refreshLifetime == seconds, "\(name) \(text)")
            }
        }
    }

    @Test(
        "a token is used until a little before its end, counted from the request",
        arguments: [
            (3_600, 0, 3_540), (600, 0, 540), (599, 0, 539), (100, 0, 90), (5, 0, 4), (1, 0, 1), (3_600, 30_000, 3_510),
            (60, 59_000, 1), (3_600, 100, 3_539), (1, 5_000, 1),
        ])
    func usable(_ lifetime: Int, _ age: Int, _ seconds: Int64) {
        guard case .tokens(let tokens) = TokenAnswer(tokens("a", lifetime: lifetime)) else {
            Issue.record("no tokens")
            return
        }
        #expect(tokens.usableSeconds(after: .milliseconds(age)) == seconds)
    }

    @Test("a token without a lifetime is used for ten years, which no token lives")
    func endless() {
        guard case .tokens(let tokens) = TokenAnswer(answer(200, #"{"access_token":"gho_x"}"#)) else {
            Issue.record("no tokens")
            return
        }
        #expect(tokens.usableSeconds(after: .zero) == IssuedTokens.longest)
    }
}
