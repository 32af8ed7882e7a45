import CredentialHelpers
import Keyutils
import SessionKeyring
import Testing

@Suite("cargo's protocol")
struct CargoTests {
    private let test = HelperUnderTest()
    private static let index = "sparse+https://crates.example/index/"
    private static let notFound = HelperUnderTest.Said(output: "{\"Err\":{\"kind\":\"not-found\"}}\n")

    private func cargo(_ kind: String, _ more: String = "", index: String = index, typed: String? = nil) throws
        -> HelperUnderTest.Said
    {
        try ask(
            #"{"v":1,"registry":{"index-url":"\#(index)","name":"mine"},"kind":"\#(kind)"\#(more),"args":[]}"#,
            typed: typed)
    }

    private func ask(_ request: String, typed: String? = nil) throws -> HelperUnderTest.Said {
        try test.answer(request.utf8) { request in
            guard let typed else { return try test.helper.cargo(request) }
            return try test.helper.cargo(request, typed: SecretBytes(utf8: typed))
        }
    }

    private func prompt(_ request: String) -> String? {
        let bytes = SecretBytes(utf8: request)
        return bytes.withBytes { CredentialHelper.cargoPrompt($0) }
    }

    @Test("a token from login is returned for every operation, until logout")
    func loginAndLogout() throws {
        #expect(CredentialHelper.cargoHello == "{\"v\":[1]}\n")
        #expect(try cargo("get", #","operation":"read""#) == Self.notFound)
        #expect(
            try cargo("login", #","token":"t\"\u00e9","login-url":null"#)
                == .init(
                    output: "{\"Ok\":{\"kind\":\"login\"}}\n"))
        #expect(try test.stored == ["internet:sparse+https%3A//crates.example/index/:": "t\"\u{E9}"])
        let token = #"{"Ok":{"kind":"get","token":"t\"é","cache":"session","operation_independent":true}}"# + "\n"
        #expect(try cargo("get", #","operation":"read""#).output == token)
        #expect(try cargo("get", #","operation":"publish","name":"a","vers":"1.0.0","cksum":"00""#).output == token)
        #expect(try cargo("get", index: "sparse+https://crates.example/index") == Self.notFound)
        #expect(try cargo("logout", index: "https://other/") == Self.notFound)
        #expect(try cargo("logout") == .init(output: "{\"Ok\":{\"kind\":\"logout\"}}\n"))
        #expect(try cargo("logout") == Self.notFound)
        #expect(try cargo("get") == Self.notFound)
    }

    @Test("the answer has the item's expiry, and an expired item is not found")
    func expiry() throws {
        let end = HelperUnderTest.now + 60
        try test.plantExpiring(end, service: Self.index)
        #expect(try cargo("get").output.contains(#""token":"s","cache":"expires","expiration":\#(end),"#))
        try test.plantExpiring(HelperUnderTest.now, service: Self.index)
        #expect(try cargo("get") == Self.notFound)
    }

    @Test("the user is asked for a token only if a login request lacks it")
    func prompts() throws {
        let login = #"{"v":1,"registry":{"index-url":"https://i/","name":"mine"},"kind":"login"}"#
        #expect(prompt(login) == "token for mine: ")
        #expect(prompt(login.replacing(#","name":"mine""#, with: "")) == "token for https://i/: ")
        for other in [
            login.replacing("login", with: "get"), login.replacing(#""v":1"#, with: #""v":2"#),
            login.replacing("}}", with: "}") + #","token":"t"}"#, #"{"v":1,"kind":"login","token":"t"}"#, "", "{",
            login.replacing(#""kind""#, with: #""token":"t","kind""#),
        ] {
            #expect(prompt(other) == nil, "\(other)")
        }
        #expect(try ask(login, typed: "typed").output == "{\"Ok\":{\"kind\":\"login\"}}\n")
        #expect(try test.stored == ["internet:https%3A//i/:": "typed"])
        #expect(try cargo("login", #","token":"said""#, index: "https://i/", typed: "other").exitCode == 0)
        #expect(try test.stored == ["internet:https%3A//i/:": "said"])
    }

    @Test("a login without a token stores nothing and reports an error")
    func noToken() throws {
        for more in ["", #","token":null"#, #","token":"""#] {
            #expect(try cargo("login", more).output.hasPrefix(#"{"Err":{"kind":"other","message":"there is no token"#))
        }
        #expect(try cargo("login", typed: "").output.hasPrefix(#"{"Err":{"kind":"other""#))
        #expect(try test.stored == [:])
    }

    @Test(
        "a token that isn't text is refused without asking the user, but the text null is a token",
        arguments: [#"{"a":1}"#, "1", "true", "[]", #""\ud800""#])
    func tokenOfOtherKind(token: String) throws {
        let said = try cargo("login", ",\"token\":\(token)")
        #expect(said.output.hasPrefix(#"{"Err":{"kind":"other","message":"the token is not a string""#))
        #expect(prompt(#"{"v":1,"registry":{"index-url":"i"},"kind":"login","token":\#(token)}"#) == nil)
        #expect(try cargo("login", ",\"token\":\(token)", typed: "typed") == said)
        #expect(try test.stored == [:])
        _ = try cargo("login", #","token":"null""#)
        #expect(try test.stored.values.first == "null")
    }

    @Test("the configured words are read from args")
    func words() {
        func words(_ args: String) -> [String]? {
            SecretBytes(utf8: #"{"v":1,"args":\#(args)}"#).withBytes { CredentialHelper.cargoWords($0) }
        }
        #expect(words("[]") == [] && words("null") == [])
        #expect(words(#"["--timeout", "8h"]"#) == ["--timeout", "8h"])
        #expect(words(#"["a\u0000",""]"#) == ["a\0", ""])
        for args in [#""--timeout""#, "1", #"{"0":"x"}"#, "[1]", #"["x",null]"#, #"["x",["y"]]"#, #"["\ud800"]"#] {
            #expect(words(args) == nil, "\(args)")
        }
        func many(_ count: Int) -> String { "[\(Array(repeating: "\"x\"", count: count).joined(separator: ","))]" }
        #expect(words(many(32))?.count == 32 && words(many(33)) == nil && words(many(2_000)) == nil)
        for request in ["", "{", "[]", #"{"v":1}"#] {
            #expect(SecretBytes(utf8: request).withBytes { CredentialHelper.cargoWords($0) } == [])
        }
    }

    @Test("a request that isn't understood is refused in cargo's words, on one line")
    func refusals() throws {
        let unsupported = HelperUnderTest.Said(output: "{\"Err\":{\"kind\":\"operation-not-supported\"}}\n")
        #expect(try cargo("yank") == unsupported)
        #expect(try ask(#"{"v":2,"registry":{"index-url":"i"},"kind":"get"}"#) == unsupported)
        for request in [#"{"v":1,"kind":"get"}"#, #"{"v":1,"registry":{"index-url":""},"kind":"get"}"#] {
            #expect(try ask(request) == .init(output: "{\"Err\":{\"kind\":\"url-not-supported\"}}\n"))
        }
        for request in ["", "{", "[]", "\0", #"{"v":1}"#] {
            let output = try ask(request).output
            #expect(
                output.hasPrefix(#"{"Err":{"kind":"other","message":""#)
                    && output.hasSuffix(#""caused-by":[]}}"# + "\n"))
        }
        let error = test.answer { _ in CredentialHelper.cargoError("a \"b\"\nc") }
        #expect(error.output == #"{"Err":{"kind":"other","message":"a \"b\"\nc","caused-by":[]}}"# + "\n")
    }

    @Test("a token that JSON can't hold is an error, and a line break in a token adds no line")
    func planted() throws {
        try test.store.set([0xFF] as [UInt8], for: .password(service: Self.index))
        #expect(try cargo("get").output.hasPrefix(#"{"Err":{"kind":"other""#))
        try test.store.set("a\n{\"Ok\":{}}", for: .password(service: Self.index))
        #expect(try cargo("get").output.split(separator: "\n").count == 1)
    }
}
