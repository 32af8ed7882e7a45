import SessionKeyring
import SessionKeyringTesting
import Testing

@Suite("Passwords for servers", .tags(.kernel))
struct InternetPasswordTests {
    @Test("the password is read as text in one expression, by the server or by the account too")
    func text() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set(InternetCredentials(account: "alice", password: "pässword"), server: "example.com")
        #expect(try store.get(server: "example.com")?.passwordText == "pässword")
        #expect("\(try store.get(server: "example.com")?.account ?? "")" == "alice")
        try store.set(InternetCredentials(account: "bob", password: "second"), server: "example.com")
        #expect(try store.get(server: "example.com", account: "alice")?.passwordText == "pässword")
        #expect(try store.get(server: "example.com", account: "bob")?.passwordText == "second")
        #expect(try store.get(server: "example.com", account: "carol")?.passwordText == nil)
    }

    @Test("a password that is not UTF-8 is nil as text, and can be read as bytes")
    func bytes() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let credentials = InternetCredentials(account: "alice", password: SecretBytes(copying: [0xFF, 0xFE]))
        try store.add(credentials, server: "example.com")
        #expect(try store.get(server: "example.com")?.passwordText == nil)
        #expect(try store.get(server: "example.com")?.password.count == 2)
    }
}
