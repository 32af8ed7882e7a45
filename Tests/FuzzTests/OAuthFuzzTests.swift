import Foundation
import Keyutils
import SecretText
import TestSupport
import Testing
import Threads

@testable import OAuth

@Suite("Fuzzing: OAuth", .tags(.long))
struct OAuthFuzzTests {
    private static func secret(_ bytes: [UInt8]) -> SecretBox { SecretBox(SecretBytes(copying: bytes)) }

    @Test("a request of the browser is read only when it is complete, and later bytes change nothing")
    func requests() throws {
        let redirect = try #require(Redirect("http://127.0.0.1/cb", port: 81))
        let sample = "GET /cb?code=c&state=s HTTP/1.1\r\nHost: 127.0.0.1:81\r\nAccept: */*\r\n\r\n"
        func reading(_ bytes: [UInt8]) -> String {
            switch redirect.read(bytes) {
            case .incomplete: "incomplete"
            case .other: "other"
            case .query(let query): "query \(query)"
            }
        }
        Fuzzer("requests of a browser", samples: [sample], tokens: ["\r\n\r\n", "\n", "Host:", "GET", " ", "?", "/cb"])
            .run { input, random in
                let whole = reading(input)
                let prefix = Array(input.prefix(Int.random(in: 0...input.count, using: &random)))
                let early = reading(prefix)
                if early != "incomplete", early != whole, input.count < Redirect.limit {
                    return "\(early) became \(whole)"
                }
                guard whole.hasPrefix("query") else { return nil }
                return input.starts(with: "GET /cb".utf8) && input.contains(10) ? nil : "a query of something else"
            }
    }

    @Test("an address is used only if Foundation finds the same scheme and host in it, and no user")
    func addresses() {
        Fuzzer(
            "addresses",
            samples: [
                "https://id.example.com:8443/a/b?c=d", "http://127.0.0.1:80/", "http://localhost", "http://[::1]:8/x",
            ],
            tokens: ["//", "@", ":", "#", "?", "/", "[", "]", "http", "https://", "localhost", "%2f"]
        ).run { input, _ in
            guard let address = ServerAddress(String(decoding: input, as: UTF8.self)) else { return nil }
            // Foundation refuses some addresses that curl then refuses, too.
            guard let parts = URLComponents(string: address.text) else { return nil }
            if parts.user != nil || parts.fragment != nil { return "a user or a fragment" }
            if parts.scheme != (address.isLoopback ? "http" : "https") { return "scheme \(parts.scheme ?? "")" }
            if address.isLoopback, !["127.0.0.1", "localhost"].contains(parts.host ?? "") {
                return "host \(parts.host ?? "")"
            }
            return nil
        }
    }

    @Test("an answer has tokens only if Foundation finds the same ones in it")
    func answers() {
        let samples = [
            #"{"access_token":"abc","token_type":"Bearer","expires_in":3600,"refresh_token":"r","scope":"a b"}"#,
            #"{"error":"invalid_grant","error_description":"no"}"#, #"{"access_token":"x"}"#,
        ]
        Fuzzer(
            "answers with tokens", samples: samples, tokens: ["\"", ":", ",", "{", "}", "null", "\\u0000", "1e9", "-1"]
        )
        .run { input, random in
            let status = [200, 400, 500, 302].randomElement(using: &random) ?? 200
            let answer = TokenAnswer(.answer(status: status, body: Self.secret(input)))
            guard case .tokens(let tokens) = answer else { return nil }
            if status != 200 { return "tokens with status \(status)" }
            let object = try JSONSerialization.jsonObject(with: Data(input)) as? [String: Any]
            if object?["access_token"] as? String != tokens.access.text { return "another access token" }
            if let lifetime = tokens.lifetime, !(1...IssuedTokens.longest).contains(lifetime) { return "\(lifetime)" }
            return nil
        }
    }

    @Test("a stored login is read only if writing it again gives the same login")
    func records() throws {
        let sample = #"""
            {"login":"1","generation":7,"mark":"in_flight","issuer":"https://a","client_id":"c","authentication":"none",\#
            "token_endpoint":"https://a/t","kept_until":9,"refresh_token":"r"}
            """#
        Fuzzer(
            "stored logins", samples: [sample], tokens: ["\"", ":", ",", "true", "-1", "9e99", "https://", "http://"]
        )
        .run { input, _ in
            guard let login = Self.secret(input).bytes.withBytes({ Login($0) }) else { return nil }
            guard let again = login.record.withBytes({ Login($0) }) else { return "it can't be read again" }
            return SecretBox(again.record).isEqual(to: SecretBox(login.record)) ? nil : "it changes"
        }
    }

    @Test("metadata never leads to an address that is not one of https")
    func metadata() {
        let sample = #"""
            {"issuer":"https://a","token_endpoint":"https://a/t","authorization_endpoint":"https://a/a",\#
            "device_authorization_endpoint":"https://a/d","scopes_supported":["a","b"]}
            """#
        Fuzzer("metadata", samples: [sample], tokens: ["http://", "https://", "\"", ",", "[", "]", "\\n", "file://"])
            .run { input, _ in
                let server = try? AuthorizationServer("https://a") { _, _ in
                    .answer(status: 200, body: Self.secret(input))
                }
                let all = [server?.tokens, server?.authorization, server?.device, server?.revocation, server?.userInfo]
                let bad = all.compactMap(\.self).filter { !$0.text.hasPrefix("https://") }
                return bad.isEmpty ? nil : "\(bad)"
            }
    }

    @Test("a server's answer to the device flow never shows an address that is not one of https")
    func devices() {
        let metadata = #"""
            {"issuer":"https://a","token_endpoint":"https://a/t","device_authorization_endpoint":"https://a/d"}
            """#
        let sample = #"""
            {"device_code":"d","user_code":"AB-CD","verification_uri":"https://a/e","interval":5,"expires_in":600,\#
            "verification_uri_complete":"https://a/e?c=1"}
            """#
        let tokens = ["http://", "http://localhost", "https://", "\"", ",", "\\n", "-1", "1e99", "null"]
        Fuzzer("device codes", samples: [sample], tokens: tokens).run { input, _ in
            let server = try AuthorizationServer("https://a") { _, _ in
                .answer(status: 200, body: Self.secret(Array(metadata.utf8)))
            }
            let request = LoginRequest(server, clientID: "c", secret: nil)
            guard let flow = try? DeviceFlow(request, { _, _ in .answer(status: 200, body: Self.secret(input)) }) else {
                return nil
            }
            let pages = [flow.page, flow.completePage].compactMap(\.self)
            if !pages.allSatisfy({ $0.text.hasPrefix("https://") }) { return "\(pages)" }
            let isTimely = flow.pause >= .seconds(1) && flow.pause <= .seconds(60)
            return isTimely && flow.lifetime >= .seconds(1) && flow.lifetime <= .seconds(3_600) ? nil : "\(flow)"
        }
    }

    @Test("a form that was encoded is decoded to the same fields")
    func forms() {
        Fuzzer("forms", samples: ["name=value&a b=c+d%20"], tokens: ["&", "=", "%", "+", "\u{0}", "é"]).run {
            input, _ in
            let text = String(decoding: input, as: UTF8.self)
            let form = Form([(text, text), ("x", text)])
            let fields = Form.fields(of: (form.encoded.text ?? "").utf8)
            // An empty name alone doesn't make a field.
            guard fields.map({ Array($0.value.utf8) }) == [Array(text.utf8), Array(text.utf8)] else {
                return "\(fields)"
            }
            return fields[0].name.utf8.elementsEqual(text.utf8) ? nil : "\(fields)"
        }
    }
}
