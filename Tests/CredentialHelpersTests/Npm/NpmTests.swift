import CredentialHelpers
import Keyutils
import SecretText
import SessionKeyring
import Testing

@Suite("npm's protocol")
struct NpmTests {
    private let test = HelperUnderTest()

    @Test("the answer is the header's whole value, for a token or for a user's password")
    func value() throws {
        try test.keep("tok\n", "reg")
        #expect(try test.npm("reg") == .init(output: "Bearer tok\n"))
        try test.keep("{pw", "user", "me")
        #expect(try test.npm("user") == .init(output: "Basic bWU6e3B3\n"))
        #expect(try test.npm("user", "me") == .init(output: "Basic bWU6e3B3\n"))
    }

    @Test("a command that prints only a line break counts as printing nothing")
    func empty() {
        let refusal = HelperUnderTest.told("", in: NpmAuthorization())
        for output in ["\n", "\r\n"] { #expect(HelperUnderTest.told(output, in: NpmAuthorization()) == refusal) }
    }

    @Test(
        "all header helpers read an item's secret the same way, even JSON or a final newline",
        arguments: [
            (#"{"token":"x"}"#, "", #"Bearer {"token":"x"}"#), ("t\n", "", "Bearer t"), ("t\r\n", "", "Bearer t"),
            (#"{"access_token":"x","expires_in":-1}"#, "", #"Bearer {"access_token":"x","expires_in":-1}"#),
            (#"{"token":"x"}"#, "me", "Basic bWU6eyJ0b2tlbiI6IngifQ=="),
            ("", "me", "Basic bWU6"),
        ])
    func sameForAll(secret: String, account: String, value: String) throws {
        try test.keep(secret, "https://h", account)
        let go = HelperUnderTest.Said(output: "https://h\n\nAuthorization: \(value)\n\n")
        #expect(try test.npm("https://h") == .init(output: value + "\n"))
        #expect(try test.go("https://h/x") == go)
        #expect(try test.go("https://h", for: "https://h", nil) == go)
        let inJSON = value.replacing("\"", with: "\\\"")
        #expect(
            try test.bazel(#"{"uri":"https://h/x"}"#).output == #"{"headers":{"Authorization":["\#(inJSON)"]}}"# + "\n")
    }

    @Test("a command's output can be JSON, and an item of the kind 'credential' has a secret field")
    func records() throws {
        let printed = #"{"token":"x","expires_at":\#(HelperUnderTest.now + 1)}"#
        #expect(HelperUnderTest.told(printed, in: NpmAuthorization()) == "Bearer x\n")
        #expect(HelperUnderTest.told(printed + "\n", in: NpmAuthorization(), account: "me") == "Basic bWU6eA==\n")
        try test.keep("x", until: HelperUnderTest.now + 1, "https://h")
        #expect(try test.npm("https://h") == .init(output: "Bearer x\n"))
        #expect(try test.go("https://h").output.hasSuffix("Bearer x\n\n"))
    }

    @Test("a missing, deleted or expired item is an error, and so is a secret with a line break")
    func refused() throws {
        #expect(HelperUnderTest.code { _ = try test.npm("reg") } == .notFound)
        try test.keep("tok", until: HelperUnderTest.now, "reg")
        #expect(HelperUnderTest.code { _ = try test.npm("reg") } == .notFound)
        try test.keep("a\nb", "reg")
        let said = try test.npm("reg")
        #expect(said.output == "" && said.exitCode == 65 && said.message?.contains("a\nb") == false)
        try test.store.clear()
        #expect(HelperUnderTest.code { _ = try test.npm("reg") } == .notFound)
    }
}
