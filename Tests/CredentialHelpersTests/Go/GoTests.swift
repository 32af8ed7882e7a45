import SessionKeyring
import Testing

@Suite("go's protocol")
struct GoTests {
    private let test = HelperUnderTest()

    private static func answer(_ prefix: String, _ value: String) -> HelperUnderTest.Said {
        .init(output: "\(prefix)\n\nAuthorization: \(value)\n\n")
    }

    @Test("the nearest item for the URL answers, for the part of the URL that the item covers")
    func nearest() throws {
        try test.keep("root", "https://h.example")
        try test.keep("team", "https://h.example/team/")
        try test.keep("pw", "https://h.example/team/a", "me")
        try test.keep("port", "https://h.example:8443")
        for (url, prefix, value) in [
            ("https://h.example", "https://h.example", "Bearer root"),
            ("https://h.example/teams?x=/team", "https://h.example", "Bearer root"),
            ("https://h.example/team", "https://h.example/team", "Bearer team"),
            ("https://h.example/team/b/@v/list", "https://h.example/team", "Bearer team"),
            ("https://h.example/team/a?go-get=1", "https://h.example/team/a", "Basic bWU6cHc="),
            ("https://h.example/team/a/", "https://h.example/team/a", "Basic bWU6cHc="),
            ("https://H.example:443/team#x", "https://H.example:443/team", "Bearer team"),
            ("https://h.example:8443/team/a", "https://h.example:8443", "Bearer port"),
        ] {
            #expect(try test.go(url) == Self.answer(prefix, value), "\(url)")
        }
    }

    @Test(
        "an item does not answer for another place, or for a path that could lead out of its place",
        arguments: [
            "https://h.example/private", "https://h.example/pri", "https://h.example/privateer",
            "https://h.example/Private/x",
            "https://h.example", "http://h.example/private/x", "https://h.example:444/private/x",
            "https://example/private/x",
            "https://h.example/private/a/../../x", "https://h.example/private/a/%2E%2e/x",
            "https://h.example/private/a/..%2f..", "https://h.example/private/a/..;/x",
            "https://h.example/private/a\\..",
            "https://u@h.example/private/a", "https://h.example\n/private/a", "https://h.example/private/a\nx: y",
            "https:///private/a", "https://h.example:/private/a", "HTTPS://h.example/private/a", "h.example/private/a",
            "",
            "https://h.example/private/a/\u{E9}", "https://h.example%2fprivate/a",
        ])
    func elsewhere(url: String) throws {
        try test.keep("secret", "https://h.example/private/a")
        #expect(try test.go("https://h.example/private/a/x").output != "")
        #expect(try test.go(url) == .init(output: ""))
    }

    @Test(
        "an item whose name isn't a web address does not answer for any URL",
        arguments: [
            "h", "http://h", "https://h/..", "https://h?", "https://h#", "https://u@h", "https://h/a\nb",
            "https://h/a b",
            "https:// h", "ssh://h", "https://",
        ])
    func noAddress(service: String) throws {
        try test.keep("secret", service)
        for url in ["https://h/a", "https://h", "https://h/a\nb", "https://h/..", service] {
            #expect(try test.go(url) == .init(output: ""))
        }
    }

    @Test("a token that could add a line is refused, and a password in base64 can have other characters")
    func lines() throws {
        for secret in ["a\nX: y", "a\r", "\u{E9}", "a\tb", "", "a\0", "\u{1F}", "\u{7F}"] {
            try test.keep(secret, "https://h")
            let said = try test.go("https://h/x")
            #expect(
                said.output == "" && said.exitCode == 65
                    && said.message?.hasPrefix("the item can't be used: the token ") == true)
            #expect(try test.bazel(#"{"uri":"https://h/x"}"#).exitCode == 65)
        }
        try test.store.clear()
        try test.keep("p\u{E9}", "https://h", "me")
        #expect(try test.go("https://h/x") == Self.answer("https://h", "Basic bWU6cMOp"))
        try test.store.clear()
        try test.keep(" a~", "https://h")
        #expect(try test.go("https://h/x") == Self.answer("https://h", "Bearer  a~"))
    }

    @Test(
        "a user name with a colon or a control character is refused, and any other is accepted",
        arguments: [
            ("a b", "YSBiOnA="), ("~", "fjpw"), ("\u{C0}", "w4A6cA=="), ("a:b", nil), ("\u{1F}", nil), ("\u{7F}", nil),
        ] as [(String, String?)])
    func users(user: String, pair: String?) throws {
        try test.keep("p", "https://h", user)
        let said = try test.go("https://h/x")
        if let pair {
            #expect(said == Self.answer("https://h", "Basic \(pair)"))
        } else {
            #expect(said.output == "" && said.exitCode == 65)
        }
    }

    @Test("an expired item gives way to a less specific one, and without a URL the answer is empty")
    func over() throws {
        #expect(try test.go("https://h/a/x") == .init(output: ""))
        try test.keep("new", until: HelperUnderTest.now + 1, "https://h")
        try test.keep("old", until: HelperUnderTest.now, "https://h/a")
        #expect(try test.go("https://h/a/x") == Self.answer("https://h", "Bearer new"))
        try test.store.delete(.credential(service: "https://h", account: ""))
        #expect(try test.go("https://h/a/x") == .init(output: ""))
        #expect(try test.go(nil) == .init(output: ""))
    }

    @Test("a named item answers for the prefix given with it, and for nothing else")
    func named() throws {
        #expect(try test.go("n", for: "https://h/p", nil) == .init(output: ""))
        try test.keep("tok", "n")
        for url in [nil, "https://h/p", "https://h/p/x/@v/list"] {
            #expect(try test.go("n", for: "https://h/p/", url) == Self.answer("https://h/p", "Bearer tok"))
        }
        for (prefix, url) in [
            ("https://h/p", "https://h/q"), ("https://h/p", "https://h/p/../q"), ("https://h/p", "x"),
            ("http://h/p", "http://h/p"), ("h/p", nil), ("https://h/p\nx", nil), ("https://h/p?x", nil),
        ] as [(String, String?)] {
            #expect(try test.go("n", for: prefix, url) == .init(output: ""))
        }
    }
}
