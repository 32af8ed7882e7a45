import CredentialHelpers
import Keyutils
import SessionKeyring
import Testing
import Threads

@Suite("git's protocol")
struct GitTests {
    private let test = HelperUnderTest()
    private static let alice = "protocol=https\nhost=example.com\nusername=alice\npassword=s3cret\n"

    private func get(_ request: String) throws -> String { try test.git("get", request).output }

    @Test("a stored credential is an item with the bare secret, and every matching request finds it")
    func storesAndFinds() throws {
        #expect(try test.git("store", Self.alice) == .init(output: ""))
        #expect(try test.stored == ["internet:https%3A//example.com:alice": "s3cret"])
        let answer = "username=alice\npassword=s3cret\n"
        for request in [
            "protocol=https\nhost=example.com\n", "host=example.com\n\n", "username=alice\n", "protocol=https\n",
            "protocol=https\nhost=example.com\nusername=alice",
            "\u{FEFF}protocol=https\r\nhost=example.com\r\n\r\nrest", "\u{FEFF}host=example.com\n",
            "colour=blue\nno sign\nprotocol=https\nhost=other.com\nhost=example.com\npath=\n",
        ] {
            #expect(try get(request) == answer, "\(request)")
        }
        for request in [
            "", "\n", "protocol=http\nhost=example.com\n", "protocol=https\nhost=example.com:443\n",
            "protocol=https\nhost=example.com\nusername=bob\n", "protocol=https\nhost=example.com\nusername=\n",
            "protocol=https\nhost=example.com\npath=a.git\n", "\nprotocol=https\nhost=example.com\n",
            "\u{FEFF}host=other.com\n", "\r\nhost=example.com\r\n",
        ] {
            #expect(try test.git("get", request) == .init(output: ""), "\(request)")
        }
    }

    @Test("a host's ASCII letters are in lower case, and all other bytes and names stay as they are")
    func hostsInLowerCase() throws {
        let request = "protocol=https\nhost=GitHub.COM:8443\npath=Org/A.git\nusername=Alice\n"
        try test.git("store", request + "password=P\n")
        #expect(try test.stored == ["internet:https%3A//github.com%3A8443/Org/A.git:Alice": "P"])
        for host in ["github.com", "GITHUB.com", "GitHub.COM"] {
            let path = "host=\(host):8443\npath=Org/A.git\n"
            #expect(try get(path) == "username=Alice\npassword=P\n")
            for rest in ["username=alice\n", "path=org/a.git\n"] { #expect(try get(path + rest) == "") }
        }
        try test.git("erase", request.replacing("GitHub", with: "gITHUB"))
        #expect(try test.stored == [:])
        // The Kelvin sign is not the letter K.
        try test.git("store", "protocol=https\nhost=\u{212A}É.example\nusername=u\npassword=p\n")
        #expect(try get("host=ké.example\n") == "" && get("host=\u{212A}É.Example\n") != "")
    }

    @Test("each user and each path of a host has its own item")
    func usersAndPaths() throws {
        try test.git("store", Self.alice)
        try test.git("store", "protocol=https\nhost=example.com\nusername=bob\npassword=b\n")
        try test.git("store", "protocol=https\nhost=example.com\npath=org/a b.git\nusername=bob\npassword=p\n")
        try test.git("store", "protocol=https\nhost=example.com\nusername=\npassword=\n")
        #expect(
            try test.stored == [
                "internet:https%3A//example.com:alice": "s3cret", "internet:https%3A//example.com:bob": "b",
                "internet:https%3A//example.com/org/a%20b.git:bob": "p",
                "credential:https%3A//example.com:": #"{"secret":"","client":"git"}"#,
            ])
        #expect(try get("host=example.com\n") == "username=alice\npassword=s3cret\n")
        #expect(try get("host=example.com\nusername=\n") == "username=\npassword=\n")
        #expect(try get("host=example.com\nusername=bob\n") == "username=bob\npassword=b\n")
        #expect(try get("path=org/a b.git\n") == "username=bob\npassword=p\n")
    }

    @Test("an item without a path is preferred over an item with a path")
    func pathLast() throws {
        try test.git("store", "protocol=https\nhost=h\npath=a.git\nusername=amy\npassword=p\n")
        try test.git("store", "protocol=https\nhost=h\nusername=bob\npassword=b\n")
        #expect(try get("host=h\n") == "username=bob\npassword=b\n")
        try test.git("erase", "host=h\nusername=bob\n")
        #expect(try get("host=h\n") == "username=amy\npassword=p\n")
    }

    @Test("a certificate's password is found by its path alone")
    func certificate() throws {
        try test.git("store", "protocol=cert\nhost=\npath=/home/me/c.pem\nusername=\npassword=x\n")
        #expect(try test.stored == ["credential:cert%3A////home/me/c.pem:": #"{"secret":"x","client":"git"}"#])
        #expect(try get("protocol=cert\nhost=\npath=/home/me/c.pem\n") == "username=\npassword=x\n")
    }

    @Test(
        "a credential that can't be found again or must not be kept is not stored",
        arguments: [
            "host=h\nusername=u\npassword=p\n", "protocol=https\nusername=u\npassword=p\n",
            "protocol=https\nhost=h\npassword=p\n", "protocol=https\nhost=h\nusername=u\n", "",
            "protocol=https\nhost=h/x\nusername=u\npassword=p\n", "protocol=a b\nhost=h\nusername=u\npassword=p\n",
            "protocol=https\nhost=h\nusername=u\npassword=p\nephemeral=1\n",
            "protocol=https\nhost=h\nusername=u\npassword=p\npassword_expiry_utc=\(HelperUnderTest.now)\n",
            "protocol=https\nhost=h\nauthtype=Bearer\npassword=p\n",
        ])
    func notStored(request: String) throws {
        #expect(try test.git("store", request) == .init(output: ""))
        #expect(try test.stored == [:])
    }

    @Test("the timeout is the shorter of git's expiry and ours, and get returns git's expiry")
    func lifetime() throws {
        let end = HelperUnderTest.now + 600
        for (timeout, expiry, seconds) in [
            (nil, end, 600), (Duration.seconds(60), end, 60), (.seconds(6_000), end, 600),
            (nil, 9_999_999_999, 4_294_967_295), (nil, Int64.max, 4_294_967_295),
        ] as [(Duration?, Int64, Int64)] {
            let test = HelperUnderTest(timeout: timeout)
            try test.git("store", Self.alice + "password_expiry_utc=\(expiry)\n")
            #expect(
                try test.stored == [
                    "credential:https%3A//example.com:alice": "{\"secret\":\"s3cret\",\"expires\":\(expiry)}"
                ])
            let answer = "username=alice\npassword=s3cret\npassword_expiry_utc=\(expiry)\n"
            #expect(try test.git("get", "host=example.com\n").output == answer)
            let item = ItemIdentity.credential(service: "https://example.com", account: "alice")
            #expect(try test.expiry(of: item) == HelperUnderTest.after(seconds))
        }
    }

    @Test("get returns a refresh token, but an authtype and a state only to a git that supports them")
    func moreThanPassword() throws {
        try test.git("store", Self.alice + "oauth_refresh_token=r=\"\\\n")
        #expect(try get("host=example.com\n") == "username=alice\npassword=s3cret\noauth_refresh_token=r=\"\\\n")
        try test.git(
            "store",
            "protocol=https\nhost=h\nauthtype=Bearer\ncredential=tok\nstate[]=x\nstate[]=\nstate[]=a:1\nstate[]=a:2\n")
        #expect(try get("host=h\n") == "")
        let token = "capability[]=authtype\nauthtype=Bearer\ncredential=tok\n"
        #expect(try get("capability[]=authtype\nhost=h\n") == token)
        let state = "capability[]=state\nstate[]=a:1\nstate[]=a:2\n"
        #expect(try get("capability[]=authtype\ncapability[]=state\nhost=h\n") == token + state)
        #expect(try get("capability[]=authtype\ncapability[]=\nhost=h\n") == "")
    }

    @Test("storing the same secret again changes nothing, even with fewer fields")
    func sameAgain() throws {
        let more = Self.alice + "oauth_refresh_token=r\npassword_expiry_utc=\(HelperUnderTest.now + 600)\n"
        try test.git("store", more)
        let stored = try test.stored
        for request in [more, Self.alice] {
            try test.git("store", request)
            #expect(try test.stored == stored)
        }
        // Another secret replaces the item, even if the old item is a record.
        try test.git("store", Self.alice.replacing("s3cret", with: "new"))
        #expect(try test.stored == ["internet:https%3A//example.com:alice": "new"])
    }

    @Test("the same secret is stored again only after the stored one has expired", arguments: [0, 1] as [Int64])
    func sameAfterEnd(left: Int64) throws {
        try test.keep("s3cret", until: HelperUnderTest.now + left, "https://example.com", "alice")
        let before = try test.stored
        try test.git("store", Self.alice)
        #expect(try test.stored == (left > 0 ? before : ["internet:https%3A//example.com:alice": "s3cret"]))
        #expect(try get("host=example.com\n").contains("password=s3cret\n"))
    }

    @Test(
        "the same secret with a different field is stored again",
        arguments: [
            ("password_expiry_utc=\(HelperUnderTest.now + 60)\n", "password_expiry_utc=\(HelperUnderTest.now + 600)\n"),
            ("password_expiry_utc=\(HelperUnderTest.now + 60)\n", "oauth_refresh_token=r\n"),
            ("oauth_refresh_token=r\n", "oauth_refresh_token=s\n"),
        ])
    func otherFields(before: String, after: String) throws {
        try test.git("store", Self.alice + before)
        try test.git("store", Self.alice + after)
        #expect(try get("host=example.com\n").hasSuffix("password=s3cret\n" + after))
    }

    @Test(
        "the same token with a different type or state is stored again",
        arguments: ["authtype=Basic\n", "authtype=Bearer\nstate[]=a:2\n"])
    func otherState(after: String) throws {
        let request = "protocol=https\nhost=h\ncredential=tok\n"
        try test.git("store", request + "authtype=Bearer\nstate[]=a:1\n")
        try test.git("store", request + after)
        let answer = try get("capability[]=authtype\ncapability[]=state\nhost=h\n")
        for line in after.split(separator: "\n") { #expect(answer.contains(line)) }
    }

    @Test(
        "a request with a value that is not UTF-8 finds, stores and erases nothing",
        arguments: ["protocol", "host", "path", "username", "authtype"])
    func namesThatAreNoText(key: String) throws {
        try test.git("store", Self.alice)
        let before = try test.stored
        let start = Array("protocol=https\nhost=example.com\nusername=alice\n\(key)=".utf8)
        for operation in ["get", "store", "erase"] {
            let rest = Array((operation == "store" ? "\npassword=new\n" : "\n").utf8)
            let said = try test.answer(start + [0xFF] + rest) { try test.helper.git(operation, request: $0) }
            #expect(said == .init(output: ""), "\(operation)")
            #expect(try test.stored == before, "\(operation)")
        }
    }

    @Test("git can't replace a record of docker's, and the exit code is 1")
    func dockersRecord() throws {
        try test.docker("store", #"{"ServerURL":"https://example.com","Username":"alice","Secret":"d"}"#)
        let before = try test.stored
        let said = try test.git("store", Self.alice + "oauth_refresh_token=r\n")
        #expect(said.exitCode == 1 && said.message?.contains("docker logout") == true)
        #expect(try test.stored == before)
    }

    @Test("a record without a client becomes git's")
    func unowned() throws {
        try test.store.set(#"{"secret":"x"}"#, for: .credential(service: "https://h"))
        try test.git("store", "protocol=https\nhost=h\nusername=\npassword=x\n")
        #expect(try test.stored == ["credential:https%3A//h:": #"{"secret":"x","client":"git"}"#])
    }

    @Test("a credential that expires while it is being stored gets a timeout of one second")
    func endsAtOnce() throws {
        let item = ItemIdentity.credential(service: "https://h", account: "alice")
        let moments = Locked([HelperUnderTest.now, HelperUnderTest.now + 9])
        let late = CredentialHelper(
            items: test.store, clock: { moments.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } })
        let request =
            "protocol=https\nhost=h\nusername=alice\npassword=p\npassword_expiry_utc=\(HelperUnderTest.now + 1)\n"
        try test.answer(request.utf8) { try late.git("store", request: $0) }
        #expect(try test.expiry(of: item) == HelperUnderTest.after(1))
    }

    @Test("erase removes every match, except an item with another password than the refused one")
    func erase() throws {
        try test.git("store", Self.alice)
        try test.git("store", "protocol=https\nhost=example.com\nusername=bob\npassword=b\n")
        try test.store.set("s3cret", for: .password(service: "https://example.com", account: "alice"))
        try test.git("erase", "")
        try test.git("erase", "host=example.com\nusername=bob\npassword=other\n")
        #expect(try test.stored.count == 3)
        try test.git("erase", "host=example.com\npassword=s3cret\n")
        #expect(try test.stored == ["internet:https%3A//example.com:bob": "b"])
        try test.git("erase", "host=example.com\n")
        #expect(try test.stored == [:])
    }

    @Test("git neither gets nor erases another client's token for the same host")
    func tokensOfOthers() throws {
        let index = "https://github.com/rust-lang/crates.io-index"
        _ = try test.answer(
            #"{"v":1,"kind":"login","token":"cr4tes","registry":{"index-url":"\#(index)"},"args":[]}"#.utf8
        ) { try test.helper.cargo($0) }
        _ = try test.vault("store", "v4ult", server: "https://github.com")
        let others = try test.stored
        #expect(others.count == 2)
        #expect(try get("protocol=https\nhost=github.com\n") == "")
        try test.git("store", "protocol=https\nhost=github.com\npath=b.git\nusername=alice\npassword=p\n")
        try test.git("store", "protocol=https\nhost=github.com\nusername=zed\npassword=z\n")
        #expect(try get("protocol=https\nhost=github.com\n") == "username=zed\npassword=z\n")
        for password in ["cr4tes", "v4ult", "z", "p"] {
            try test.git("erase", "protocol=https\nhost=github.com\npassword=\(password)\n")
        }
        try test.git("erase", "protocol=https\nhost=github.com\n")
        #expect(try test.stored == others)
    }

    @Test("a credential past its expiry is not found, even if its item still exists")
    func ended() throws {
        try test.git("store", "protocol=https\nhost=h\nusername=zed\npassword=z\n")
        try test.store.set(
            #"{"secret":"old","expires":\#(HelperUnderTest.now)}"#,
            for: .credential(service: "https://h", account: "amy"))
        #expect(try get("host=h\n") == "username=zed\npassword=z\n")
    }

    @Test("get returns the last stored credential, even if an item of another kind has its name")
    func foundAfterwards() throws {
        let item = ItemIdentity.password(service: "https://example.com", account: "alice")
        try test.git("store", Self.alice)
        try test.store.set("mine", for: item)
        try test.git("store", Self.alice)
        #expect(try get("host=example.com\n") == "username=alice\npassword=s3cret\n")
        #expect(try test.stored == ["internet:https%3A//example.com:alice": "s3cret"])
    }

    @Test("an item can't add a line to an answer")
    func plantedLines() throws {
        let planted = "p\nhost=evil.example\n"
        try test.store.set(planted, for: .internet(server: "https://a", account: "u"))
        try test.store.set("p\0", for: .internet(server: "https://b", account: "u"))
        try test.store.set("p", for: .internet(server: "https://c", account: "u\nhost=evil"))
        try test.store.set(
            #"{"secret":"p","oauth":1,"refresh_token":"a\nb"}"#, for: .credential(service: "https://d", account: "u"))
        try test.store.set(
            #"{"secret":"p","authtype":"a\nb"}"#, for: .credential(service: "https://e", account: "u"))
        try test.store.set("no JSON", for: .credential(service: "https://f", account: "u"))
        for host in ["a", "b", "c", "d", "e", "f"] {
            #expect(try test.git("get", "capability[]=authtype\nhost=\(host)\n") == .init(output: ""))
        }
    }

    @Test("an unknown operation is ignored, and capability lists what the helper supports")
    func operations() throws {
        #expect(try test.git("approve", Self.alice) == .init(output: ""))
        #expect(try test.git("capability").output == "version 0\ncapability authtype\ncapability state\n")
        #expect(try test.stored == [:])
    }

    @Test("a line can have 65,535 bytes, and only a password without other fields can be non-UTF-8")
    func oddValues() throws {
        let long = String(repeating: "x", count: 32_000)
        try test.git(
            "store", "wwwauth[]=\(String(repeating: "y", count: 65_525))\n" + Self.alice.replacing("s3cret", with: long)
        )
        #expect(try get("host=example.com\n") == "username=alice\npassword=\(long)\n")
        let start = Array("protocol=https\nhost=h\nusername=u\npassword=".utf8)
        let refused = try test.answer(start + [0xFF, 0x0A] + Array("oauth_refresh_token=r\n".utf8)) {
            try test.helper.git("store", request: $0)
        }
        #expect(refused.exitCode == 1 && refused.message?.contains("UTF-8") == true)
        _ = try test.answer(start + [0xFF, 0x0A]) { try test.helper.git("store", request: $0) }
        #expect(try test.store.get(.internet(server: "https://h", account: "u"))?.count == 1)
    }
}
