import CredentialHelpers
import SessionKeyring
import Testing

@Suite("keyring's command line")
struct KeyringTests {
    private let test = HelperUnderTest()
    private static let notFound = HelperUnderTest.Said(output: "", exitCode: 1)

    private func set(_ service: String, _ user: String, _ password: String) throws {
        #expect(try test.keyringSet(service, user, password) == .init(output: ""))
    }

    @Test("set stores an item with the bare password, and get returns it in each form")
    func storesAndFinds() throws {
        try set("https://pypi.example/simple/", "me", "p \"w\n")
        #expect(try test.stored == ["internet:https%3A//pypi.example/simple/:me": "p \"w"])
        let service = "https://pypi.example/simple/"
        #expect(try test.keyringGet(service, "me") == .init(output: "p \"w\n"))
        #expect(try test.keyringGet(service, "me", .credentials).output == "me\np \"w\n")
        #expect(try test.keyringGet(service, nil, .credentials).output == "me\np \"w\n")
        #expect(
            try test.keyringGet(service, nil, .credentialsJSON).output == #"{"username":"me","password":"p \"w"}"#
                + "\n")
        #expect(try test.keyringGet(service, "me", .passwordJSON).output == #"{"password":"p \"w"}"# + "\n")
    }

    @Test("a missing item prints nothing, and the exit status is 1")
    func notFound() throws {
        try set("s", "me", "p")
        for (service, user) in [("s", "you"), ("s", ""), ("t", "me"), ("S", "me")] {
            for form in [KeyringForm.password, .credentials, .passwordJSON, .credentialsJSON] {
                #expect(try test.keyringGet(service, user, form) == Self.notFound)
            }
            #expect(try test.keyringDelete(service, user) == Self.notFound)
        }
        #expect(try test.keyringGet("t", nil, .credentials) == Self.notFound)
        #expect(try test.keyringDelete("s", "me") == .init(output: ""))
        #expect(try test.keyringGet("s", "me") == Self.notFound)
        #expect(try test.keyringDelete("s", "me") == Self.notFound)
    }

    @Test(
        "set drops only one newline at the end of its input", arguments: ["", "\n", " ", "a\n\n", "\r\n", "\0"])
    func exactBytes(password: String) throws {
        try set("s", "me", password + "\n")
        #expect(try test.stored["password:s:me"] == password)
        #expect(try test.keyringGet("s", "me").output == password + "\n")
    }

    @Test("a URL finds its own item first, then the item of its origin")
    func origin() throws {
        try set("https://h:8443", "me", "origin")
        for service in ["https://h:8443/simple/", "https://h:8443/", "https://h:8443"] {
            #expect(try test.keyringGet(service, "me").output == "origin\n")
            #expect(try test.keyringGet(service, nil, .credentials).output == "me\norigin\n")
        }
        for service in ["http://h:8443/simple/", "https://h/simple/", "h:8443", "https://h:84430/simple/"] {
            #expect(try test.keyringGet(service, "me") == Self.notFound, "\(service)")
        }
        try set("https://h:8443/simple/", "you", "exact")
        #expect(try test.keyringGet("https://h:8443/simple/", nil, .credentials).output == "you\nexact\n")
        #expect(try test.keyringGet("https://h:8443/simple/", "me").output == "origin\n")
        #expect(try test.keyringDelete("https://h:8443/other", "me") == Self.notFound)
    }

    @Test(
        "an address is the same service with and without a final slash",
        arguments: ["https://pypi.example/simple", "https://pypi.example", "http://[::1]:8080/a/b"])
    func finalSlash(address: String) throws {
        for (stored, asked) in [(address, address + "/"), (address + "/", address)] {
            try set(stored, "me", "one")
            for name in [stored, asked] {
                #expect(try test.keyringGet(name, "me").output == "one\n")
                #expect(try test.keyringGet(name, "me", .passwordJSON).output == #"{"password":"one"}"# + "\n")
                #expect(try test.keyringGet(name, nil, .credentials).output == "me\none\n")
                #expect(
                    try test.keyringGet(name, nil, .credentialsJSON).output == #"{"username":"me","password":"one"}"#
                        + "\n")
            }
            try set(asked, "me", "two")
            #expect(try test.stored.count == 1)
            for name in [stored, asked] { #expect(try test.keyringGet(name, "me").output == "two\n") }
            #expect(try test.keyringDelete(asked, "me").exitCode == 0)
            #expect(try test.stored == [:])
        }
    }

    @Test("with both spellings of an address stored, set and del change both, get reads the exact one")
    func bothSpellings() throws {
        let names = ["https://pypi.example/simple/", "https://pypi.example/simple"]
        for name in names { try test.store.set(name, for: .password(service: name, account: "me")) }
        for name in names { #expect(try test.keyringGet(name, "me").output == name + "\n") }
        try set(names[0], "me", "new")
        for name in names { #expect(try test.keyringGet(name, "me").output == "new\n") }
        #expect(try test.keyringDelete(names[1], "me").exitCode == 0)
        for name in names { #expect(try test.keyringGet(name, "me") == Self.notFound) }
    }

    @Test("a slash at the end of any other name is part of the name")
    func slashInName() throws {
        try set("a/", "me", "slash")
        #expect(try test.keyringGet("a", "me") == Self.notFound)
        try set("a", "me", "plain")
        #expect(try test.keyringGet("a/", "me").output == "slash\n")
        try set("https:/", "me", "no address")
        #expect(try test.keyringGet("https://", "me") == Self.notFound)
    }

    @Test("without a user, get takes the item without an account, otherwise the first by name")
    func anyUser() throws {
        try set("s", "b", "2")
        try set("s", "a", "1")
        #expect(try test.keyringGet("s", nil, .credentials).output == "a\n1\n")
        try test.store.set("own", for: .password(service: "s"))
        #expect(try test.keyringGet("s", nil, .credentials).output == "\nown\n")
    }

    @Test("an item of 'skr set' takes precedence, and a record's secret is found until it expires")
    func kinds() throws {
        try test.plantExpiring(HelperUnderTest.now + 1, service: "s", account: "me")
        #expect(try test.keyringGet("s", "me").output == "s\n")
        try test.plantExpiring(HelperUnderTest.now, service: "s", account: "me")
        #expect(try test.keyringGet("s", "me") == Self.notFound)
        #expect(try test.keyringGet("s", nil, .credentials) == Self.notFound)
        try test.store.set("stored", for: .internet(server: "s", account: "me"))
        try test.store.set("set", for: .password(service: "s", account: "me"))
        #expect(try test.keyringGet("s", "me").output == "set\n")
        #expect(try test.keyringDelete("s", "me").exitCode == 0)
        #expect(try test.stored == [:])
    }

    @Test("an item can't add a line or a field to an answer")
    func planted() throws {
        try test.store.set("p", for: .password(service: "s", account: "a\nb"))
        #expect(try test.keyringGet("s", nil, .credentials).output == "")
        #expect(try test.keyringGet("s", nil, .credentials).exitCode == 1)
        #expect(try test.keyringGet("s", nil, .credentialsJSON).output == #"{"username":"a\nb","password":"p"}"# + "\n")
        try test.store.set([0xFF] as [UInt8], for: .password(service: "t", account: "me"))
        let refused = try test.keyringGet("t", "me", .credentialsJSON)
        #expect(refused.exitCode == 1 && refused.message?.contains("UTF-8") == true)
        #expect(try test.keyringGet("t", "me") == .init(output: "\u{FFFD}\n"))
        #expect(try test.keyringGet("t", "me", .credentials) == .init(output: "me\n\u{FFFD}\n"))
        #expect(try test.keyringGet("t", "me", .passwordJSON).output == "")
    }
}
