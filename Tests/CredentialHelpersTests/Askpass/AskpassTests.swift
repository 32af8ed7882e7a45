import CredentialHelpers
import SessionKeyring
import Testing

@Suite("askpass's prompts")
struct AskpassTests {
    private let test = HelperUnderTest()

    private func ask(_ prompt: AskpassPrompt) throws -> HelperUnderTest.Said {
        try test.answer { _ in try test.helper.askpass(prompt) }
    }

    @Test(
        "a prompt names its item",
        arguments: [
            ("Enter passphrase for /home/me/.ssh/id_ed25519: ", "/home/me/.ssh/id_ed25519", nil),
            ("Enter passphrase for key '/home/me/.ssh/id_ed25519': ", "/home/me/.ssh/id_ed25519", nil),
            ("Enter passphrase for /a b: c (will confirm each use): ", "/a b: c", nil),
            ("me@host.example's password: ", "host.example", "me"),
            ("me@corp@host's password:", "host", "me@corp"),
            ("(me@host) Password: ", "host", "me"), ("(me@host) password: ", "host", "me"),
            ("[sudo] password for me: ", "sudo", "me"),
            ("Password for 'https://me@host': ", "https://host", "me"),
            ("Password for 'https://m%40e%3A@host:8443/a/b.git': ", "https://host:8443/a/b.git", "m@e:"),
            ("Password for 'https://host': ", "https://host", nil),
            ("Password for 'https://%FF@host': ", "https://host", "%FF"),
        ] as [(String, String, String?)])
    func secrets(text: String, service: String, account: String?) {
        #expect(AskpassPrompt(text) == .secret(service: service, account: account))
    }

    @Test("git's prompt for a user name asks for the account")
    func names() {
        #expect(AskpassPrompt("Username for 'https://host': ") == .account(service: "https://host", account: nil))
    }

    @Test(
        "a prompt names no item unless it matches a known form exactly",
        arguments: [
            "", " ", ":", "Password: ", "Enter passphrase for : ", "Enter passphrase for x", "Enter passphrase: ",
            "Enter PIN for 'x': ", "(me) Code: ", "[sudo] Passwort für me@corp.example: ", "Code of me's phone: ",
            "Password for 'host': ", "Username for '': ", "[sudo] password for : ",
        ])
    func unknown(text: String) throws {
        #expect(AskpassPrompt(text) == .unknown)
        #expect(try ask(AskpassPrompt(text)).exitCode == 1)
        #expect(try ask(AskpassPrompt(text)).output == "")
    }

    @Test(
        "a prompt in a server's own words gets no answer, even if an item is named",
        arguments: [
            "(me@host) Verification code: ", "(me@evil) x@bank) Password: ", "(me@evil) Password: Password: x",
            "(me@evil) Enter passphrase for key '/home/me/.ssh/id': ", "(a)b@evil) sudo: ", "(u@evil) sudo password: ",
            "@host's password: ", "me@'s password: ", "please: me@host's password: x",
            "Enter me@evil's old password: ", "Retype me@evil's new password: ",
        ])
    func fromServer(text: String) throws {
        try test.store.set("x", for: .password(service: "x"))
        #expect(AskpassPrompt(text) == .fromServer)
        let said = try ask(AskpassPrompt(text).naming(service: "x", account: nil))
        #expect(said.output == "" && said.exitCode == 1 && said.message != nil)
    }

    @Test("a question for a person gets no answer, even if an item is named")
    func questions() throws {
        try test.store.set("x", for: .password(service: "x"))
        for text in [
            "The authenticity of host 'h' can't be established.\nAre you sure you want to continue connecting (yes/no)? ",
            "Please type 'yes', 'no' or the fingerprint: ", "Accept updated hostkeys? (yes/no): ",
        ] {
            #expect(AskpassPrompt(text) == .question)
            let said = try ask(AskpassPrompt(text).naming(service: "x", account: nil))
            #expect(
                said.output == "" && said.exitCode == 1
                    && said.message == "this is a yes-or-no question, so a person has to answer it")
        }
        let retry = AskpassPrompt("Bad passphrase, try again for /k: ")
        #expect(retry == .retry)
        #expect(try ask(retry.naming(service: "x", account: nil)).exitCode == 1)
        #expect(try ask(retry).output == "")
    }

    @Test("the answer is the secret or the user name, followed by a newline")
    func answers() throws {
        try test.git("store", "protocol=https\nhost=h\nusername=bob\npassword=p w\n")
        try test.git("store", "protocol=https\nhost=h\nusername=amy\npassword=a\n")
        #expect(try ask(AskpassPrompt("Username for 'https://h': ")) == .init(output: "amy\n"))
        #expect(try ask(AskpassPrompt("Password for 'https://bob@h': ")) == .init(output: "p w\n"))
        #expect(try ask(AskpassPrompt("Password for 'https://h': ")) == .init(output: "a\n"))
        try test.store.set("", for: .password(service: "sudo", account: "me"))
        #expect(try ask(AskpassPrompt("[sudo] password for me: ")) == .init(output: "\n"))
    }

    @Test("a named item answers a prompt without an item, but does not replace a prompt's own")
    func named() throws {
        try test.store.set("s", for: .password(service: "x", account: "me"))
        #expect(try ask(AskpassPrompt("PIN?").naming(service: "x", account: "me")).output == "s\n")
        #expect(try ask(AskpassPrompt("PIN?").naming(service: "x", account: nil)).output == "s\n")
        #expect(try ask(AskpassPrompt("PIN?").naming(service: "x", account: "you")).output == "")
        for text in [
            "Username for 'https://h': ", "Password for 'https://h': ", "root@h's password: ", "(root@h) Password: ",
            "Enter passphrase for /k: ", "[sudo] password for me: ",
        ] {
            let prompt = AskpassPrompt(text)
            #expect(prompt.naming(service: "x", account: "me") == prompt)
            #expect(try ask(prompt.naming(service: "x", account: "me")).output == "")
        }
    }

    @Test("an item that is missing, has expired or has two lines gives no answer")
    func noAnswer() throws {
        let prompt = AskpassPrompt("me@h's password: ")
        let missing = HelperUnderTest.Said(
            output: "", exitCode: 1, missing: .password(service: "h", account: "me"))
        #expect(try ask(prompt) == missing)
        try test.store.set("other", for: .password(service: "h", account: "you"))
        #expect(try ask(prompt) == missing)
        try test.plantExpiring(HelperUnderTest.now, service: "h", account: "me")
        #expect(try ask(prompt) == missing)
        for secret in ["a\nb", "a\n", "\0"] {
            try test.store.set(secret, for: .password(service: "h", account: "me"))
            #expect(try ask(prompt).output == "")
            #expect(try ask(prompt).exitCode == 1)
        }
        try test.store.set("x", for: .password(service: "https://h", account: "a\nb"))
        #expect(try ask(AskpassPrompt("Username for 'https://h': ")).output == "")
    }
}
