import SessionKeyring
import Testing

@Suite("docker's protocol")
struct DockerTests {
    private let test = HelperUnderTest()
    private static let notFound = HelperUnderTest.Said(
        output: "credentials not found in native keychain\n", exitCode: 1)

    private func store(_ server: String, _ user: String, _ secret: String) throws -> HelperUnderTest.Said {
        try test.docker("store", #"{"ServerURL":"\#(server)","Username":"\#(user)","Secret":"\#(secret)"}"#)
    }

    @Test("a stored credential is an item with the bare secret, and get returns it")
    func storesAndFinds() throws {
        #expect(try store("localhost:5000", "alice", #"p\"w\n\u00e9"#) == .init(output: ""))
        #expect(try test.stored == ["internet:localhost%3A5000:alice": "p\"w\n\u{E9}"])
        let answer = #"{"ServerURL":"localhost:5000","Username":"alice","Secret":"p\"w\n"# + "\u{E9}\"}\n"
        for request in ["localhost:5000", "localhost:5000\n", " localhost:5000 \r\n"] {
            #expect(try test.docker("get", request).output == answer)
        }
        #expect(try test.docker("get", "localhost:5001") == Self.notFound)
        #expect(try test.docker("get", "https://localhost:5000") == Self.notFound)
    }

    @Test("an identity token is stored like any other secret")
    func identityToken() throws {
        _ = try store("https://index.docker.io/v1/", "<token>", "t")
        #expect(
            try test.docker("get", "https://index.docker.io/v1/").output.contains(#""Username":"<token>","Secret":"t""#)
        )
    }

    @Test("a server has one user, the last one that was stored")
    func oneUser() throws {
        _ = try store("ghcr.io", "alice", "a")
        _ = try store("ghcr.io", "bob", "b")
        #expect(try test.stored == ["internet:ghcr.io:bob": "b"])
    }

    @Test("an item that was set by hand is found until a login, and is never removed")
    func setByHand() throws {
        try test.store.set("mine", for: .password(service: "ghcr.io", account: "zoe"))
        #expect(try test.docker("get", "ghcr.io").output.contains(#""Username":"zoe","Secret":"mine""#))
        _ = try store("ghcr.io", "bob", "b")
        #expect(try test.docker("get", "ghcr.io").output.contains(#""Username":"bob","Secret":"b""#))
        #expect(try test.stored == ["internet:ghcr.io:bob": "b", "password:ghcr.io:zoe": "mine"])
    }

    /// Stores items of other clients under names that docker might use.
    private func plantOthers() throws {
        for user in ["a", "b"] {
            try test.git("store", "protocol=https\nhost=ghcr.io\nusername=\(user)\npassword=\(user)\n")
        }
        _ = try test.keyringSet("smtp.gmail.com", "me", "k")
        _ = try test.keyringSet("ghcr.io", "py", "k")
        _ = try test.terraform("store", #"{"token":"t"}"#)
        try test.store.set("s", for: .password(service: "api.example", account: "me"))
        try test.store.set("s", for: .internet(server: "smtp://mail.example/v1", account: "me"))
    }

    @Test("list returns the servers of docker's items only")
    func list() throws {
        #expect(try test.docker("list") == .init(output: "{}\n"))
        let servers = [
            "ghcr.io", "https://a.example/v2", "https://index.docker.io/v1/", "https://plain.example", "localhost",
            "localhost:5000/team", "single",
        ]
        try plantOthers()
        for server in servers { _ = try store(server, "u", "s") }
        #expect(
            try test.docker("list").output.dropFirst().dropLast(2).split(separator: ",").sorted()
                == servers.map { "\"\($0)\":\"u\"" })
    }

    @Test("erase removes only docker's items, and a missing item is not an error")
    func erase() throws {
        for server in ["ghcr.io", "quay.io", "https://plain.example", "single"] { _ = try store(server, "u", "s") }
        try plantOthers()
        let others = try test.stored.filter { !$0.key.hasSuffix(":u") }
        #expect(others.count == 7)
        for host in ["ghcr.io", "plain.example", "single"] {
            for server in ["https://\(host)", "http://\(host)", host, "https://\(host)/v1/"] {
                #expect(try test.docker("erase", server + "\n") == .init(output: ""))
            }
        }
        #expect(try test.stored == others.merging(["internet:quay.io:u": "s"]) { $1 })
        #expect(try test.docker("get", "https://plain.example") == Self.notFound)
    }

    @Test("a server without a registry's name gets a record that names docker as its client")
    func records() throws {
        for server in ["https://plain.example", "single"] {
            _ = try store(server, "u", "s")
            #expect(try test.docker("get", server).output.contains(#""Username":"u","Secret":"s""#))
        }
        #expect(try test.stored["credential:single:u"] == #"{"secret":"s","client":"docker"}"#)
        #expect(try test.git("get", "protocol=https\nhost=plain.example\n").output == "")
    }

    @Test("errors are printed to standard output, in docker's words")
    func errors() throws {
        for operation in ["get", "erase"] {
            #expect(try test.docker(operation, " \n") == .init(output: "no credentials server URL\n", exitCode: 1))
        }
        #expect(try store("", "u", "s") == .init(output: "no credentials server URL\n", exitCode: 1))
        #expect(try store("s", "", "s") == .init(output: "no credentials username\n", exitCode: 1))
        for request in [
            "", "{", "[]", #"{"ServerURL":"s","Username":"u"}"#, #"{"ServerURL":"s","Username":null,"Secret":"x"}"#,
            #"{"ServerURL":"s","Username":"u","Secret":{"a":1}}"#, #"{"ServerURL":1,"Username":"u","Secret":"x"}"#,
        ] {
            #expect(try test.docker("store", request).exitCode == 1)
        }
        #expect(try test.docker("login") == .init(output: "Unknown credential action `login`\n", exitCode: 1))
        let without = try test.docker("")
        #expect(without.exitCode == 1 && without.output.contains("store, get, erase, list or version"))
        #expect(try test.stored == [:])
    }

    @Test("a secret that JSON can't hold is not found")
    func planted() throws {
        try test.store.set([0xFF, 0xFE] as [UInt8], for: .internet(server: "ghcr.io", account: "u"))
        #expect(try test.docker("get", "ghcr.io") == Self.notFound)
    }
}
