import CredentialHelpers
import SessionKeyring
import Testing

@Suite("ansible's, Terraform's and Vault's protocols")
struct TokenHelperTests {
    private let test = HelperUnderTest()

    private func ansible(_ id: String) throws -> HelperUnderTest.Said {
        try test.answer { _ in try test.helper.ansible(id: id) }
    }

    @Test("a vault id gets its secret and a newline, and an unknown id gets exit status 2")
    func vaultIDs() throws {
        #expect(try ansible("prod") == .init(output: "", exitCode: 2, missing: .password(service: "prod")))
        try test.store.set("p w", for: .password(service: "prod"))
        #expect(try ansible("prod") == .init(output: "p w\n"))
        #expect(try ansible("Prod").exitCode == 2)
        try test.store.delete(.password(service: "prod"))
        try test.store.set("only", for: .password(service: "prod", account: "me"))
        #expect(try ansible("prod") == .init(output: "only\n"))
        try test.plantExpiring(HelperUnderTest.now, service: "old")
        #expect(try ansible("old").exitCode == 2)
    }

    @Test("Terraform gets a host's token until it is forgotten, and then an empty object")
    func terraformToken() throws {
        #expect(try test.terraform("get") == .init(output: "{}\n"))
        #expect(try test.terraform("store", #" {"token" : "t\"\u00e9"} "#) == .init(output: ""))
        #expect(try test.stored == ["internet:app.terraform.io:": "t\"\u{E9}"])
        #expect(try test.terraform("get") == .init(output: #"{"token":"t\"é"}"# + "\n"))
        #expect(try test.terraform("get", host: "other.io") == .init(output: "{}\n"))
        #expect(try test.docker("list").output == "{}\n")
        #expect(try test.terraform("forget", host: "other.io") == .init(output: ""))
        #expect(try test.terraform("forget") == .init(output: ""))
        #expect(try test.terraform("forget") == .init(output: ""))
        #expect(try test.terraform("get") == .init(output: "{}\n"))
    }

    @Test(
        "a request that can't be stored completely is an error, and nothing is stored",
        arguments: [
            "", "{}", "[]", #"{"token":1}"#, #"{"token":null}"#, #"{"token":"s3cret","scope":"x"}"#,
            #"{"Token":"s3cret"}"#, "x",
            #"{"token":"t"} x"#, #"{"token":"\ud800"}"#, #"{"token":{"token":"t"}}"#, #"{"token":"t",}"#,
            #"{"scope":"x","token":"t"}"#,
        ])
    func terraformRefuses(request: String) throws {
        let said = try test.terraform("store", request)
        #expect(said.exitCode == 1 && said.message?.contains("s3cret") == false && said.output == "")
        #expect(try test.stored == [:])
    }

    @Test("an operation that Terraform does not have, or a token that isn't UTF-8, is an error")
    func terraformErrors() throws {
        #expect(try test.terraform("list").exitCode == 1)
        try test.store.set([0xFF] as [UInt8], for: .password(service: "app.terraform.io"))
        #expect(try test.terraform("get").exitCode == 1)
        #expect(try test.terraform("get").output == "")
        try test.plantExpiring(HelperUnderTest.now, service: "old.io")
        #expect(try test.terraform("get", host: "old.io") == .init(output: "{}\n"))
    }

    @Test("Vault gets a server's token without a newline, or nothing if there isn't one")
    func vaultToken() throws {
        #expect(try test.vault("get") == .init(output: ""))
        #expect(try test.vault("erase") == .init(output: ""))
        #expect(try test.vault("store", "hvs.x\n") == .init(output: ""))
        #expect(try test.stored == ["internet:https%3A//v%3A8200:": "hvs.x"])
        for server in ["https://v:8200", "https://v:8200/", "https://v:8200//"] {
            #expect(try test.vault("get", server: server) == .init(output: "hvs.x"))
        }
        #expect(try test.vault("get", server: CredentialHelper.vaultServer) == .init(output: ""))
        #expect(!CredentialHelper.isOneVault("https://v:8200/", "https://v:8200/a"))
        #expect(try test.vault("erase", server: "https://v:8200/") == .init(output: ""))
        #expect(try test.stored == [:])
    }

    @Test("each namespace of a server has its own token in Vault, whatever slashes surround its name")
    func vaultNamespaces() throws {
        func vault(_ operation: String, _ namespace: String, _ request: String = "") throws -> String {
            try test.answer(request.utf8) {
                try test.helper.vault(operation, server: "https://v:8200/", namespace: namespace, request: $0)
            }.output
        }
        #expect(try vault("store", "", "root") == "" && vault("store", "a/b", "child") == "")
        let names = ["internet:https%3A//v%3A8200:": "root", "internet:https%3A//v%3A8200#a/b:": "child"]
        #expect(try test.stored == names)
        for namespace in ["a/b", "a/b/", "/a/b"] { #expect(try vault("get", namespace) == "child") }
        for namespace in ["", "/", "root", "root/"] { #expect(try vault("get", namespace) == "root") }
        for namespace in ["a", "b", "A/b"] { #expect(try vault("get", namespace) == "") }
        #expect(try vault("erase", "a/b/") == "" && test.vault("get").output == "root")
        #expect(try test.stored.count == 1)
    }

    @Test(
        "no client gets a token with a line break, and the error has the cause and a fix",
        arguments: ["tok\r", "tok\nx\r", "tok\nx", "t\0k", "\rtok"])
    func lineBreaks(token: String) throws {
        let (name, uri) = ("https://h", #"{"uri":"https://h/x"}"#)
        func headers(_ scheme: String? = nil) throws -> HelperUnderTest.Said {
            try test.answer([]) { _ in try test.helper.headers(name, scheme: scheme) }
        }
        func isRefused(_ said: HelperUnderTest.Said) -> Bool {
            said.output == "" && said.exitCode == 65 && said.message?.contains("line break (CR or LF)") == true
                && said.message?.contains("tr -d") == true && said.message?.contains(token) == false
        }
        try test.keep(token, name)
        for said in [
            try test.kubernetes(name), try test.google(name), try test.npm(name), try test.go("https://h/x"),
            try test.go(name, for: "https://i", nil), try test.bazel(uri), try headers(), try headers(""),
            try test.terraform("get", host: name), try test.vault("get", server: name),
        ] {
            #expect(isRefused(said), "\(said)")
        }
        let request = #"{"v":1,"registry":{"index-url":"https://h"},"kind":"get"}"#
        #expect(try test.answer(request.utf8) { try test.helper.cargo($0) }.output.contains("line break (CR or LF)"))
        try test.store.clear()
        // Neither can it be stored, nor be a part of something else.
        let escapes = ["\r": #"\r"#, "\n": #"\n"#, "\0": #"\u0000"#]
        let quoted = token.map { escapes["\($0)"] ?? "\($0)" }.joined()
        #expect(try isRefused(test.terraform("store", #"{"token":"\#(quoted)"}"#)))
        let login = #"{"v":1,"registry":{"index-url":"https://h"},"kind":"login","token":"\#(quoted)"}"#
        #expect(try test.answer(login.utf8) { try test.helper.cargo($0) }.output.contains("line break (CR or LF)"))
        #expect(try isRefused(test.vault("store", token, server: name)))
        #expect(try test.stored == [:])
        try test.keep(#"{"AccessKeyId":"AK","SecretAccessKey":"\#(quoted)"}"#, name)
        #expect(try isRefused(test.aws(name)))
        try test.store.clear()
        try test.keep(token, name, "me")
        for said in [try test.npm(name), try test.go("https://h/x"), try test.bazel(uri), try headers()] {
            #expect(isRefused(said), "\(said)")
        }
    }

    @Test("Vault can neither store nor get a token that isn't a single line")
    func vaultErrors() throws {
        for request in ["", "\n"] { #expect(try test.vault("store", request).exitCode == 1) }
        for request in ["a\nb", "a\nb\n", "a\n\n", "a\0", "a\r\n\n"] {
            #expect(try test.vault("store", request).exitCode == 65)
        }
        #expect(try test.stored == [:])
        #expect(try test.vault("login").exitCode == 1)
    }

    @Test("storing the same token again does not extend its life, and another token replaces it")
    func storedAgain() throws {
        try test.plantExpiring(HelperUnderTest.now + 60, service: "https://v:8200")
        _ = try test.vault("store", "s")
        #expect(try test.stored.keys.map { $0.prefix(10) } == ["credential"])
        _ = try test.vault("store", "t")
        #expect(try test.stored == ["internet:https%3A//v%3A8200:": "t"])
    }
}
