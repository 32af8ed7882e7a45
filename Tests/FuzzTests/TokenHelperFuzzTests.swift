import CredentialHelpers
import Foundation
import Keyutils
import SecretText
import SessionKeyring
import TestSupport
import Testing
import Threads

@Suite("Fuzzing: helpers for tokens", .tags(.long))
struct TokenHelperFuzzTests {
    private static let now: Int64 = 1_790_000_000
    private static let samples = [
        #"{"Version":1,"AccessKeyId":"AKIA","SecretAccessKey":"a\/+\u0022b","SessionToken":"t","Expiration":"2031-01-02T03:04:05Z"}"#,
        #"{"Credentials":{"AccessKeyId":"A","SecretAccessKey":"b","Expiration":"2031-01-02T03:04:05.5+01:00"},"AccountId":"1"}"#,
        #"{"roleCredentials":{"accessKeyId":"A","secretAccessKey":"b","sessionToken":"c","expiration":1790000900000}}"#,
        #"{"status":{"token":"t","expirationTimestamp":"2031-01-02T03:04:05Z","clientCertificateData":"C\n","clientKeyData":"K"}}"#,
        #"{"access_token":"a","id_token":"i","token":"t","saml_response":"s","expires_in":3600,"expires_at":1790000900}"#,
        #"{"token":"t","expiry":null,"expires":"1790000900"}"#, "ya29.token-text_/+=\n",
        "\u{FEFF}{\"token\":\"x\"}\r\n",
    ]
    private static let tokens = [
        "{", "}", ":", ",", "\"", "\\u000a", "\\ud800", "\\", "null", "\"token\":", "\"expires_in\":", "1e400", "-1",
        "9999999999999", "2031-02-30T00:00:00Z", "T24:00:00", "\r\n", "Authorization: x", "https://h/",
    ]

    private static func issuance(_ input: [UInt8], _ account: String = "", fresh: Bool = true) -> Issuance {
        Issuance(SecretBox(SecretBytes(copying: input)), account: account, issued: fresh ? now : nil)
    }

    @Test("an answer in JSON is one object on one line, and is read back as the same answer")
    func objects() throws {
        let nothing: [UInt8] = []
        let formats: [any TokenFormat] = [
            AWSCredentials(), try ExecCredential(asked: nothing.span.bytes), try GoogleToken(type: nil),
            try GoogleToken(type: "urn:ietf:params:oauth:token-type:saml2"),
        ]
        Fuzzer("tokens in JSON", samples: Self.samples, tokens: Self.tokens).run { input, random in
            let format = formats[random.below(formats.count)]
            let answer: TokenAnswer
            do throws(UnusableToken) {
                answer = try format.answer(Self.issuance(input))
            } catch {
                return error.message.contains("\n") || error.message.isEmpty ? "not one line: \(error.message)" : nil
            }
            let output = answer.output.bytes.array
            guard output.last == UInt8(ascii: "\n"), !output.dropLast().contains(where: { $0 < 0x20 || $0 == 0x7F })
            else {
                return "more than a line: \(Fuzzer.show(output))"
            }
            guard let object = try? JSONSerialization.jsonObject(with: Data(output)) as? [String: Any] else {
                return "not a JSON object: \(Fuzzer.show(output))"
            }
            let known: Set<String> = [
                "Version", "AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration", "AccountId", "kind",
                "apiVersion", "status", "version", "success", "token_type", "id_token", "saml_response",
                "expiration_time",
            ]
            guard known.isSuperset(of: object.keys) else { return "unknown members: \(object.keys)" }
            guard let again = try? format.answer(Self.issuance(answer.kept.bytes.array, fresh: false)) else {
                return "its own answer is refused: \(Fuzzer.show(output))"
            }
            guard again.output.isEqual(to: answer.output), again.expires == answer.expires else {
                return "read again as \(Fuzzer.show(again.output.bytes.array))"
            }
            return nil
        }
    }

    @Test("an answer in headers has only its own lines, with the secret unchanged in one of them")
    func headers() throws {
        let place = try #require(WebAddress("https://h/p"))
        let object = try #require(HeadersObject(header: "Authorization", scheme: nil))
        Fuzzer("tokens in headers", samples: Self.samples, tokens: Self.tokens).run { input, random in
            let account = ["", "me", "a:b", "x\ny", "\u{E9}"][random.below(5)]
            let formats: [(format: any TokenFormat, head: String, tail: String)] = [
                (NpmAuthorization(), "", "\n"), (GoHeaders(for: place), "https://h/p\n\nAuthorization: ", "\n\n"),
                (object, #"{"Authorization":""#, "\"}\n"),
            ]
            let (format, head, tail) = formats[random.below(3)]
            guard let answer = try? format.answer(Self.issuance(input, account)) else { return nil }
            let output = answer.output.bytes.array
            guard output.starts(with: head.utf8), output.suffix(tail.utf8.count).elementsEqual(tail.utf8) else {
                return "not the expected lines: \(Fuzzer.show(output))"
            }
            var value = output.dropFirst(head.utf8.count).dropLast(tail.utf8.count)
            if format is HeadersObject {
                let members = try? JSONSerialization.jsonObject(with: Data(output)) as? [String: String]
                guard members?.count == 1, let text = members?["Authorization"] else {
                    return "not an object with one member"
                }
                value = Array(text.utf8)[...]
            }
            guard value.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                return "not printable ASCII: \(Fuzzer.show(output))"
            }
            guard let token = try? IssuedToken(Self.issuance(input)) else { return "an answer without a token" }
            let secret = token.secret.bytes.array
            if account.isEmpty { return value.elementsEqual("Bearer ".utf8 + secret) ? nil : "a different token" }
            let pair = Data("\(account):".utf8 + secret).base64EncodedString()
            return value.elementsEqual("Basic \(pair)".utf8) ? nil : "a different account and token"
        }
    }

    @Test("a URL gets a secret only if Foundation also finds it at or below the item's address")
    func addresses() throws {
        let items = FuzzItems(passwords: ["https://h.example/a/b": "ab", "https://h.example:8443": "port"])
        let helper = CredentialHelper(items: items, clock: { Self.now })
        let samples = [
            "https://h.example/a/b/c?x#y", "https://h.example:8443/x", "https://h.example/a/../b",
            "https://h.example/a/%62", "https://u@h.example/a/b", "https://h.example:443/a/b/",
        ]
        let tokens = ["..", "/", "%2e", "%2F", "\\", "@", ":", "?", "#", ";", "h.example", "https://", "a/b"]
        Fuzzer("addresses", samples: samples, tokens: tokens).run { input, _ in
            guard let url = String(validating: input, as: UTF8.self) else { return nil }
            let answer = try helper.go(url: url)
            let output = answer.output.withBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
            if output.isEmpty { return nil }
            // Foundation finds no path if the encoded bytes are not UTF-8.
            let plain = url.replacing(/%[89a-fA-F][0-9a-fA-F]/, with: "x")
            guard let parts = URL(string: plain)?.standardized, parts.scheme == "https", parts.user == nil,
                parts.host?.lowercased() == "h.example"
            else { return "answered \(output.debugDescription)" }
            let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.count == 5 else { return "not five lines: \(output.debugDescription)" }
            switch lines[2] {
            case "Authorization: Bearer port": return parts.port == 8443 ? nil : "the secret of another port"
            case "Authorization: Bearer ab":
                let isBelow = parts.path == "/a/b" || parts.path.hasPrefix("/a/b/")
                return isBelow && [nil, 443].contains(parts.port) ? nil : "the secret of another path"
            default: return "answered \(output.debugDescription)"
            }
        }
    }

    @Test("any request of Bazel is answered with one object, or with nothing and an error")
    func requests() throws {
        let items = FuzzItems(passwords: ["https://h": "t\"ok"])
        let helper = CredentialHelper(items: items, clock: { Self.now })
        let samples = [#"{"uri":"https://h/x"}"#, #"{"more":[1],"uri":"http:\/\/h","uri":"https:\/\/h\u002fx"}"#]
        Fuzzer("Bazel's requests", samples: samples, tokens: Self.tokens).run { input, _ in
            let answer = try helper.bazel("get", request: input.span.bytes)
            let output = answer.output.withBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
            let known = ["{\"headers\":{}}\n", #"{"headers":{"Authorization":["Bearer t\"ok"]}}"# + "\n"]
            let isGood = answer.exitCode == 0 ? known.contains(output) : output.isEmpty && answer.message != nil
            return isGood ? nil : "answered \(answer.exitCode) \(output.debugDescription)"
        }
    }
}
