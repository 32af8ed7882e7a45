import CredentialHelpers
import Keyutils
import SecretText
import SessionKeyring
import Testing

@Suite("Google's protocol")
struct GoogleTests {
    private let test = HelperUnderTest()
    private static let types = "urn:ietf:params:oauth:token-type:"

    private static func answer(_ type: String, _ rest: String) -> String {
        "{\"version\":1,\"success\":true,\"token_type\":\"\(types)\(type)\",\(rest)}\n"
    }

    @Test("a SAML response can have line breaks")
    func wrapped() throws {
        try test.keep("PHNh\r\nbWw+\n", "g")
        let answer = Self.answer("saml2", #""saml_response":"PHNh\r\nbWw+""#)
        #expect(try test.google("g", type: Self.types + "saml2") == .init(output: answer))
    }

    @Test("a token that is not text is refused")
    func notText() {
        let issued = Issuance(SecretBox(SecretBytes(copying: [0x74, 0xFF])), account: "", issued: HelperUnderTest.now)
        #expect {
            _ = try GoogleToken(type: nil).answer(issued)
        } throws: { ($0 as? UnusableToken)?.message == "the token is not UTF-8" }
    }

    @Test("the token is in the field for its type, with its expiry if known")
    func types() throws {
        try test.keep("tok", "g")
        for (said, type, field) in [
            (nil, "id_token", "id_token"), ("", "id_token", "id_token"), ("id_token", "id_token", "id_token"),
            ("jwt", "jwt", "id_token"), ("saml2", "saml2", "saml_response"),
        ] {
            let full = said.map { $0.isEmpty ? "" : Self.types + $0 }
            #expect(try test.google("g", type: full) == .init(output: Self.answer(type, "\"\(field)\":\"tok\"")))
        }
        try test.keep("tok", until: HelperUnderTest.now + 60, "h")
        let ending = ",\"expiration_time\":\(HelperUnderTest.now + 60)"
        #expect(try test.google("h").output == Self.answer("id_token", "\"id_token\":\"tok\"" + ending))
    }

    @Test(
        "an expiry is rounded down, limited to the years 1970 to 5138, and above 100,000,000,000 in milliseconds",
        arguments: [
            ("-1", 0), ("0", 0), ("0.9", 0), ("1.9", 1), ("1e300", 100_000_000_000), ("100000000000", 100_000_000_000),
            ("100000000001", 100_000_000),
        ])
    func extremes(written: String, end: Int) throws {
        let output = #"{"id_token":"i","expires_at":\#(written)}"#
        let answer = Self.answer("id_token", "\"id_token\":\"i\",\"expiration_time\":\(end)")
        #expect(HelperUnderTest.told(output, in: try GoogleToken(type: nil)) == answer)
    }

    @Test("an ID token is preferred to an access token, and a token of another type is refused")
    func preference() throws {
        let output = #"{"access_token":"a","id_token":"i","expires_in":60}"#
        let ending = ",\"expiration_time\":\(HelperUnderTest.now + 60)"
        let answer = Self.answer("id_token", "\"id_token\":\"i\"" + ending)
        #expect(HelperUnderTest.told(output, in: try GoogleToken(type: nil)) == answer)
        #expect(HelperUnderTest.told(answer, in: try GoogleToken(type: nil)) == answer)
        #expect(
            HelperUnderTest.told(answer, in: try GoogleToken(type: Self.types + "saml2")).hasPrefix(
                "the token is not of"))
    }

    @Test(
        "an unknown type is an error", arguments: ["id_token", "urn:ietf:params:oauth:token-type:access_token", "x\n"])
    func unknownType(type: String) throws {
        try test.keep("tok", "g")
        let said = try test.google("g", type: type)
        #expect(said.output == "" && said.exitCode == 65 && said.message?.contains("\n") == false)
    }

    @Test("a missing or expired item is an answer for the client to read, with exit status 0")
    func missing() throws {
        let none = try test.google("g")
        #expect(none.exitCode == 0 && none.message == nil)
        #expect(none.output.hasPrefix(#"{"version":1,"success":false,"code":"401","message":""#))
        #expect(none.output.hasSuffix("\"}\n"))
        try test.keep("tok", until: HelperUnderTest.now, "g")
        #expect(try test.google("g") == none)
        try test.keep("tok", "h", "a")
        try test.keep("tok", "h", "b")
        #expect(HelperUnderTest.code { _ = try test.google("h") } == .ambiguous(accounts: ["a", "b"]))
    }
}
