import Keyutils
import SecretText
import Testing

@testable import OAuth

/// The ways to log in.
@Suite("Flows of OAuth")
struct FlowTests {
    #if EncryptedSessions
        private func flow(
            more: String = "", scope: String? = nil, extra: [(String, String)] = []
        ) throws -> (flow: CodeFlow, fields: [String: String]) {
            let flow = try CodeFlow(
                request(more: more, scope: scope), redirect: "http://127.0.0.1:8080/", extra: extra)
            let query = flow.address.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
            return (flow, Dictionary(uniqueKeysWithValues: Form.fields(of: query).map { ($0.name, $0.value) }))
        }

        @Test("the browser's address has a state and a challenge, and the request has the verifier of that challenge")
        func challenge() throws {
            let (flow, fields) = try flow(scope: "openid email", extra: [("prompt", "consent")])
            #expect(flow.address.hasPrefix("\(issuer)/authorize?response_type=code&client_id=skr&"))
            #expect(fields["scope"] == "openid email")
            #expect(fields["prompt"] == "consent")
            #expect(fields["code_challenge_method"] == "S256")
            #expect(fields["state"]?.utf8.count == 64)
            #expect(fields["code_challenge"]?.utf8.count == 43)
            let form = Form.fields(of: (flow.request(code: box("c")).form?.text ?? "").utf8)
            let verifier = try #require(form.first { $0.name == "code_verifier" }?.value)
            #expect((43...128).contains(verifier.utf8.count))
            #expect(!flow.address.contains(verifier))
            #expect(try self.flow().fields["state"] != fields["state"])
        }

        @Test("the server that gets the token is named at each step")
        func resource() throws {
            let (api, encoded) = ("https://api.example.com", "resource=https%3A%2F%2Fapi.example.com")
            let code = try CodeFlow(request(resource: api), redirect: "http://127.0.0.1/", extra: [])
            #expect(code.address.contains(encoded))
            #expect(code.request(code: box("c")).form?.text?.contains(encoded) == true)
            let scripted = ScriptedServer([
                answer(200, #"{"device_code":"d","user_code":"u","verification_uri":"https://id.example.com"}"#)
            ])
            let device = try DeviceFlow(request(resource: api), scripted.transport)
            #expect(scripted.got[0].contains(encoded))
            #expect(device.request.form?.text?.contains(encoded) == true)
            #expect(try newLogin("r0", resource: api).refreshing(nil).form?.text?.contains(encoded) == true)
        }

        @Test("the challenge is that of RFC 7636, appendix B")
        func vector() throws {
            let verifier = box("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
            #expect(try CodeFlow.challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        }

        @Test(
            "a further parameter never replaces a usual one",
            arguments: ["state", "redirect_uri", "client_id", "scope"])
        func overriding(_ name: String) {
            let error = #expect(throws: OAuthError.self) { try flow(scope: "openid", extra: [(name, "x")]) }
            #expect(error?.code == .unusable)
        }

        @Test("only an answer with our state counts")
        func states() throws {
            let (flow, fields) = try flow()
            let state = try #require(fields["state"])
            for query in ["", "code=c", "code=c&state=", "code=c&state=x", "state=\(state)&state=\(state)&code=c"] {
                #expect(try flow.code(in: query.utf8) == nil, "\(query)")
            }
            #expect(try flow.code(in: "state=\(state)&code=c%2Fd".utf8)?.text == "c/d")
        }

        @Test("an answer of another issuer is refused, and one without an issuer if the server names it")
        func issuers() throws {
            let named = #","authorization_response_iss_parameter_supported":true"#
            for (more, iss, isGood) in [
                ("", "", true), ("", "&iss=https%3A%2F%2Fid.example.com", true), ("", "&iss=https%3A%2F%2Fx", false),
                (named, "", false), (named, "&iss=https%3A%2F%2Fid.example.com", true), (named, "&iss=x", false),
                (named, "&iss=https%3A%2F%2Fid.example.com&iss=x", false),
            ] {
                let (flow, fields) = try flow(more: more)
                let query = "code=c&state=\(fields["state"] ?? "")\(iss)"
                if isGood {
                    #expect(try flow.code(in: query.utf8)?.text == "c", "\(more) \(iss)")
                } else {
                    let error = #expect(throws: OAuthError.self, "\(more) \(iss)") { try flow.code(in: query.utf8) }
                    #expect(error?.code == .refused)
                }
            }
        }

        @Test("an error of the server ends the flow; some let another flow begin")
        func errors() throws {
            for (name, code) in [
                ("access_denied", OAuthError.Code.denied), ("unauthorized_client", .flowRefused),
                ("unsupported_response_type", .refused), ("temporarily_unavailable", .tryAgain),
            ] {
                let (flow, fields) = try flow()
                let query = "error=\(name)&error_description=no%20way&state=\(fields["state"] ?? "")"
                #expect(throws: OAuthError(code, "the server answered \(name): no way")) {
                    try flow.code(in: query.utf8)
                }
            }
            // Servers leave out their name after an error. Then no other flow begins.
            let (flow, fields) = try flow(more: #","authorization_response_iss_parameter_supported":true"#)
            let query = "error=unauthorized_client&state=\(fields["state"] ?? "")"
            #expect(throws: OAuthError(.refused, "the server answered unauthorized_client")) {
                try flow.code(in: query.utf8)
            }
        }
    #endif

    @Test("a redirect gets the port of the listener, unless it has one")
    func redirects() throws {
        for (text, full) in [
            ("http://127.0.0.1/", "http://127.0.0.1:81/"), ("http://localhost", "http://localhost:81"),
            ("http://localhost/a?b", "http://localhost:81/a?b"), ("http://127.0.0.1:8/", "http://127.0.0.1:8/"),
            ("https://app.example.com/cb", "https://app.example.com/cb"),
        ] { #expect(Redirect(text, port: 81)?.address.text == full) }
        for text in [
            "http://example.com/", "http://[::1]:8/", "http://127.0.0.1:0/", "ftp://x/", "http://127.0.0.1.x/",
            "http://localhost:x/",
        ] {
            #expect(Redirect(text, port: 81) == nil, "\(text)")
        }
    }

    @Test("the listener reads only a GET of its path, for its host and port")
    func requests() throws {
        let redirect = try #require(Redirect("http://127.0.0.1/cb", port: 81))
        func read(_ text: String) -> String {
            switch redirect.read(Array(text.utf8)) {
            case .incomplete: "incomplete"
            case .other: "other"
            case .query(let query): String(decoding: query, as: UTF8.self)
            }
        }
        let host = "\r\nHost: 127.0.0.1:81\r\n\r\n"
        #expect(read("GET /cb?code=c&state=s HTTP/1.1\(host)") == "code=c&state=s")
        #expect(read("GET /cb?x HTTP/1.0\r\nhOST:127.0.0.1:81\r\nA: b\r\n\r\n") == "x")
        #expect(read("GET /cb HTTP/1.1\(host)") == "")
        for line in [
            "POST /cb", "GET /", "GET /cbx", "GET /cb/", "get /cb", "GET  /cb", "GET http://127.0.0.1/cb", "HEAD /cb",
        ] {
            #expect(read("\(line) HTTP/1.1\(host)") == "other", "\(line)")
        }
        for host in ["localhost:81", "127.0.0.1", "127.0.0.1:810", "evil.example.com:81", ""] {
            #expect(read("GET /cb?x HTTP/1.1\r\nHost: \(host)\r\n\r\n") == "other", "\(host)")
        }
        #expect(read("GET /cb?x HTTP/1.1\r\n\r\n") == "other")
        #expect(read("GET /cb?x HTTP/1.1\r\nHost: 127.0.0.1:81\r\nHost: 127.0.0.1:81\r\n\r\n") == "other")
        #expect(read("GET /cb?x HTTP/1.1\r\nHost: 127.0.0.1:81\r\n") == "incomplete")
        #expect(read("GET /cb?x HTTP/1.1\r\nHost: 127.0.0.1:81\r\n\r") == "incomplete")
        #expect(read("") == "incomplete")
        #expect(read("\r\n\r\n") == "other")
        #expect(read("GET /cb?" + String(repeating: "x", count: 8_184)) == "other")
    }

    @Test("a pasted address can have line breaks, and an end after '#'")
    func pasted() {
        func query(_ text: String) -> String {
            String(decoding: Redirect.query(ofPasted: Array(text.utf8)), as: UTF8.self)
        }
        #expect(query("http://127.0.0.1:81/?code=c&state=s") == "code=c&state=s")
        #expect(query("  http://127.0.0.1:81/?code=\n  c&state=s#x\r") == "code=c&state=s")
        #expect(query("\u{1B}[200~http://127.0.0.1:81/?code=c&state=s\u{1B}[201~") == "code=c&state=s")
        #expect(query("code=c") == "")
        #expect(query("") == "")
    }

    private func device(_ more: String = "") throws -> DeviceFlow {
        let body = """
            {"device_code":"d","user_code":"AB-CD","verification_uri":"https://id.example.com/enter"\(more)}
            """
        return try DeviceFlow(request(scope: "openid"), ScriptedServer([answer(200, body)]).transport)
    }

    @Test("the device flow asks at the server's interval, and slows down permanently")
    func intervals() throws {
        var flow = try device(#","interval":2,"expires_in":60"#)
        #expect(flow.lifetime == .seconds(60))
        func pause(_ outcome: HTTPOutcome) throws -> Duration {
            #expect(try flow.tokens(in: TokenAnswer(outcome)) == nil)
            return flow.pause
        }
        let pending = answer(400, #"{"error":"authorization_pending"}"#)
        #expect(try pause(pending) == .seconds(2))
        #expect(try pause(answer(400, #"{"error":"slow_down"}"#)) == .seconds(7))
        #expect(try pause(pending) == .seconds(7))
        #expect(try pause(.notSent(reason: "no host")) == .seconds(14))
        #expect(try pause(.unknown(reason: "timeout")) == .seconds(21))
        #expect(try pause(answer(503, "")) == .seconds(35))
        #expect(try pause(answer(400, #"{"error":"temporarily_unavailable"}"#)) == .seconds(63))
        #expect(try pause(pending) == .seconds(7))
        #expect(try pause(answer(200, #"{"error":"slow_down"}"#)) == .seconds(12))
    }

    @Test("the device flow ends with tokens, a refusal or an expired code")
    func ends() throws {
        var flow = try device()
        #expect(flow.interval == .seconds(5))
        func end(_ outcome: HTTPOutcome) -> String {
            do throws(OAuthError) {
                return try flow.tokens(in: TokenAnswer(outcome)) == nil ? "wait" : "done"
            } catch {
                return error == DeviceFlow.expired ? "expired" : "\(error.code)"
            }
        }
        #expect(end(tokens("a")) == "done")
        #expect(end(answer(400, #"{"error":"expired_token"}"#)) == "expired")
        #expect(end(answer(400, #"{"error":"access_denied"}"#)) == "denied")
        #expect(end(answer(200, "{}")) == "unusable")
    }

    @Test("a server without the device flow lets another flow begin; a page outside of https is refused")
    func noDevice() throws {
        func error(_ outcome: HTTPOutcome) -> OAuthError.Code? {
            let scripted = ScriptedServer([outcome])
            return #expect(throws: OAuthError.self) {
                try DeviceFlow(request(), scripted.transport)
            }?.code
        }
        #expect(error(answer(400, #"{"error":"unauthorized_client"}"#)) == .flowRefused)
        #expect(error(answer(404, "not found")) == .flowRefused)
        #expect(error(answer(503, "busy")) == .tryAgain)
        #expect(error(answer(400, #"{"error":"invalid_scope"}"#)) == .refused)
        #expect(error(.notSent(reason: "x")) == .tryAgain)
        let page = #"{"device_code":"d","user_code":"u","verification_uri":"http://evil.example.com"}"#
        #expect(error(answer(200, page)) == .unusable)
        let here = #"{"device_code":"d","user_code":"u","verification_uri":"http://localhost:1/"}"#
        #expect(error(answer(200, here)) == .unusable)
        let complete = try device(#","verification_uri_complete":"http://localhost:1/?code=u""#).completePage
        #expect(complete == nil)
    }
}
