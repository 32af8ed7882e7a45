import SessionKeyring
import Testing

@Suite("netrc")
struct NetrcTests {
    private let test = HelperUnderTest()

    private func netrc(_ names: String...) throws -> HelperUnderTest.Said {
        try test.answer { _ in try test.helper.netrc(names) }
    }

    private func store(_ service: String, _ account: String, _ secret: String) throws {
        try test.store.set(secret, for: .internet(server: service, account: account))
    }

    @Test("each account of each machine has a line, without port and path")
    func lines() throws {
        #expect(try netrc() == .init(output: ""))
        try store("https://example.com", "bob", "b")
        try store("https://example.com:8443/simple/", "amy", "a")
        try store("ghcr.io", "cat", "c")
        try store("localhost:5000", "dog", "d")
        try store("https://[::1]:8200", "eve", "e")
        #expect(
            try netrc().output == """
                machine example.com login amy password a
                machine example.com login bob password b
                machine ghcr.io login cat password c
                machine localhost login dog password d
                machine ::1 login eve password e

                """)
        #expect(try netrc("ghcr.io").output == "machine ghcr.io login cat password c\n")
        #expect(
            try netrc("localhost", "https://example.com").output
                == "machine localhost login dog password d\nmachine example.com login bob password b\n")
    }

    @Test("if an account of a machine has two secrets, the named one is written, or the first by name")
    func oneOfMachine() throws {
        try store("https://h", "me", "plain")
        try store("https://h:8443", "me", "port")
        #expect(try netrc().output == "machine h login me password plain\n")
        #expect(try netrc("h").output == "machine h login me password plain\n")
        #expect(try netrc("https://h:8443").output == "machine h login me password port\n")
    }

    @Test("an address with https comes first, and among those one without a port", arguments: ["h", "[::1]"])
    func httpsFirst(host: String) throws {
        let machine = host == "h" ? "h" : "::1"
        let services = ["http://\(host)", "ftp://\(host)", "ws://\(host)", "https://\(host):443", "https://\(host)/p"]
        for (position, service) in services.enumerated() {
            try store(service, "me", "s\(position)")
            let best = position < 3 ? [0, 1, 1][position] : position
            for said in [try netrc(), try netrc(machine)] {
                #expect(said.output == "machine \(machine) login me password s\(best)\n", "\(service)")
            }
        }
        #expect(try netrc("http://\(host)", machine).output == "machine \(machine) login me password s0\n")
        try store("http://\(host)", "you", "other")
        #expect(try netrc(machine).output.hasSuffix("machine \(machine) login you password other\n"))
    }

    @Test("only items that clients stored for hosts are written")
    func others() throws {
        try store("sparse+https://crates.example/", "", "token")
        try store("cert:////home/me/c.pem", "u", "x")
        try store("localhost:5000/team", "u", "x")
        try store("h\nmachine evil", "u", "x")
        for service in ["a b", "https://hb]", "https://:80", "https://[]"] { try store(service, "u", "x") }
        try test.store.set("x", for: .password(service: "https://h", account: "me"))
        try test.plantExpiring(HelperUnderTest.now + 9, service: "https://i", account: "me")
        let output = try netrc().output
        #expect(output == "machine localhost login u password x\n")
        #expect(try netrc("crates.example").output == "machine crates.example login \"\" password token\n")
    }

    @Test("a machine without an item is an error that names it")
    func missing() throws {
        try store("https://h", "me", "s")
        #expect(try netrc("h", "i") == .init(output: "", exitCode: 1, missing: .internet(server: "i")))
        #expect(try netrc("").exitCode == 1)
        #expect(try netrc("H").exitCode == 1)
    }

    @Test(
        "a value is quoted only if necessary",
        arguments: [
            ("plain", "plain"), ("p'=:%\u{E9}", "p'=:%\u{E9}"), ("", "\"\""), ("a b", "\"a b\""), ("a#", "\"a#\""),
            ("\"", #""\"""#), ("\\", #""\\""#), ("a\nb\r\tc", #""a\nb\r\tc""#), ("\u{B}", "\"\u{B}\""),
        ])
    func quoting(value: String, written: String) throws {
        try store("https://h", "me", value)
        #expect(try netrc().output == "machine h login me password \(written)\n")
        try store("https://i", value, "s")
        guard !value.isEmpty else { return }
        #expect(try netrc("i").output == "machine i login \(written) password s\n")
    }

    @Test("a NUL in a value is an error that names the item, and nothing is written")
    func noNUL() throws {
        try store("https://a", "me", "s")
        try store("https://h", "me", "a\0b")
        let said = try netrc()
        #expect(said.output == "" && said.exitCode == 1)
        #expect(said.message?.contains("internet:https%3A//h:me") == true)
        try store("https://i", "a\0b", "s")
        #expect(try netrc("i").exitCode == 1)
    }
}
