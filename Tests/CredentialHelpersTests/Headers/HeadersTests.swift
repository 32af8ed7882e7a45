import CredentialHelpers
import SessionKeyring
import Testing

@Suite("Headers for a program that runs a command for them")
struct HeadersTests {
    private let test = HelperUnderTest()

    private func headers(
        _ service: String, _ account: String? = nil, _ header: String = "Authorization", _ scheme: String? = nil
    ) throws -> HelperUnderTest.Said {
        try test.answer([]) { _ in
            try test.helper.headers(service, account: account, header: header, scheme: scheme)
        }
    }

    @Test(
        "the answer is an object with one header",
        arguments: [
            ("tok", "", "Authorization", nil, #"{"Authorization":"Bearer tok"}"#),
            ("tok", "", "authorization", nil, #"{"authorization":"Bearer tok"}"#),
            ("tok", "", "X-API-Key", nil, #"{"X-API-Key":"tok"}"#),
            ("tok", "", "X-API-Key", "token", #"{"X-API-Key":"token tok"}"#),
            ("tok", "", "Authorization", "", #"{"Authorization":"tok"}"#),
            ("tok", "", "Authorization", "Token", #"{"Authorization":"Token tok"}"#),
            ("x", "me", "Authorization", nil, #"{"Authorization":"Basic bWU6eA=="}"#),
            ("x", "me", "Authorization", "Bearer", #"{"Authorization":"Bearer x"}"#),
            ("x", "me", "Proxy-Authorization", nil, #"{"Proxy-Authorization":"Basic bWU6eA=="}"#),
            ("x", "me", "X-API-Key", "", #"{"X-API-Key":"x"}"#),
            (#"{"token":"x"}"#, "", "K", nil, #"{"K":"{\"token\":\"x\"}"}"#),
        ] as [(String, String, String, String?, String)])
    func object(secret: String, account: String, header: String, scheme: String?, output: String) throws {
        try test.keep(secret, "api", account)
        #expect(try headers("api", nil, header, scheme) == .init(output: output + "\n"))
    }

    @Test(
        "a secret with a line break or a NUL is an error",
        arguments: ["a\nb", "a\n\n", "a\rb", "a\r", "\0", "a\0b", "\na"], ["", "me"])
    func lines(secret: String, account: String) throws {
        try test.keep(secret, "api", account)
        for scheme in [nil, "", "Token"] {
            let said = try headers("api", nil, "Authorization", scheme)
            #expect(said.output == "" && said.exitCode == 65 && said.message?.contains("line break") == true)
        }
    }

    @Test("other characters that a header can't have are an error", arguments: ["\u{E9}", "\u{7F}", "a\tb", ""])
    func characters(secret: String) throws {
        try test.keep(secret, "api")
        let said = try headers("api")
        #expect(said.output == "" && said.exitCode == 65)
    }

    @Test("a missing or expired item is not found")
    func absent() throws {
        #expect(HelperUnderTest.code { _ = try headers("api") } == .notFound)
        try test.keep("tok", until: HelperUnderTest.now, "api")
        #expect(HelperUnderTest.code { _ = try headers("api") } == .notFound)
        try test.keep("tok", until: HelperUnderTest.now + 1, "api")
        #expect(try headers("api").output == #"{"Authorization":"Bearer tok"}"# + "\n")
    }

    @Test("a word that can't be a header or a scheme is refused", arguments: ["", "a b", "a:", "a\r", "\u{E9}", "\""])
    func names(word: String) throws {
        try test.keep("tok", "api")
        #expect(try headers("api", nil, word).exitCode == 64)
        #expect(try word.isEmpty || headers("api", nil, "Authorization", word).exitCode == 64)
    }

    @Test("a command's output can end with a newline, and can be JSON")
    func printed() throws {
        let format = try #require(HeadersObject(header: "Authorization", scheme: nil))
        #expect(HelperUnderTest.told("tok\n", in: format) == #"{"Authorization":"Bearer tok"}"# + "\n")
        #expect(HelperUnderTest.told(#"{"access_token":"x"}"#, in: format) == #"{"Authorization":"Bearer x"}"# + "\n")
        #expect(HelperUnderTest.told("a\nb", in: format).contains("line break"))
    }
}
