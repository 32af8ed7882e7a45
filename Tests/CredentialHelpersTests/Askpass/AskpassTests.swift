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
            ("Password for 'https://Me@HOST.Example/A': ", "https://host.example/A", "Me"),
        ] as [(String, String, String?)])
    func secrets(text: String, service: String, account: String?) {
        #expect(AskpassPrompt(text) == .secret(service: service, account: account))
    }

    /// The prompts of sudo's translations, and of sudo-rs.
    private static let sudoPrompts = [
        "[sudo] contraseña de %p: ", "[sudo] contrasenya per a %p: ", "[sudo] heslo pro %p: ",
        "[sudo] adgangskode for %p: ", "[sudo] Passwort für %p: ", "[sudo] pasvorto por %p: ",
        "[sudo] contraseña para %p: ", "[sudo] گذرواژهٔ %p: ", "[sudo] %p-käyttäjän salasana: ",
        "[sudo] Mot de passe de %p\u{A0}: ", "[sudo] password par %p: ", "[sudo] lozinka za %p: ",
        "[sudo] %p jelszava: ", "[sudo] kata sandi untuk %p: ", "[sudo] password di %p: ", "[sudo] %p のパスワード:",
        "[sudo] პაროლი მომხმარებლისთვის %p: ", "[sudo] %p 암호: ", "[sudo] passord for %p: ",
        "[sudo] wachtwoord voor %p: ", "[sudo] hasło użytkownika %p: ", "[sudo] senha para %p: ",
        "[sudo] parola pentru %p: ", "[sudo] пароль для %p: ", "[sudo] heslo pre používateľa %p: ",
        "[судо] лозинка за корисника %p: ", "[sudo] lösenord för %p: ", "[sudo] пароль до %p: ",
        "[sudo] mật khẩu dành cho %p: ", "[sudo] %p 的密码：", "[sudo] %p 的密碼：", "[sudo] password for %p: ",
        // Earlier ones.
        "[sudo] salasana henkilölle %p: ", "[sudo] %p의 암호: ", "[sudo] პაროლი %p-სთვის: ",
    ]

    @Test("sudo's prompt names the user in every language", arguments: sudoPrompts, ["me", "me-2@corp.example", "für"])
    func sudo(prompt: String, user: String) {
        let prompt = AskpassPrompt(prompt.replacing("%p", with: user))
        #expect(prompt == .secret(service: "sudo", account: user))
    }

    @Test("sudo-rs names no user, so its prompt gets the password of any")
    func sudoWithoutUser() throws {
        try test.store.set("s", for: .password(service: "sudo", account: "me"))
        for text in ["[sudo: authenticate] Password: ", "[sudo: authentifizieren] Password: "] {
            #expect(AskpassPrompt(text) == .secret(service: "sudo", account: nil))
            #expect(try ask(AskpassPrompt(text)).output == "s\n")
        }
    }

    @Test("sudo-rs's prompt gets no password if there are several accounts, one of which could be the user's")
    func sudoOfSeveral() throws {
        for name in ["alice", "bob"] { try test.store.set(name, for: .password(service: "sudo", account: name)) }
        let said = try ask(AskpassPrompt("[sudo: authenticate] Password: "))
        #expect(said.output == "" && said.exitCode == 65 && said.message?.contains("names no user") == true)
        #expect(try ask(AskpassPrompt("[sudo] password for bob: ")).output == "bob\n")
        try test.store.set("any", for: .password(service: "sudo"))
        #expect(try ask(AskpassPrompt("[sudo: authenticate] Password: ")).output == "any\n")
    }

    @Test("git's prompt for a user name asks for the account")
    func names() {
        #expect(AskpassPrompt("Username for 'https://host': ") == .account(service: "https://host", account: nil))
    }

    @Test(
        "a prompt names no item unless it matches a known form exactly",
        arguments: [
            "", " ", ":", "Password: ", "Enter passphrase for : ", "Enter passphrase for x", "Enter passphrase: ",
            "[sudo] Passwort für me", "[sudo] : ", "[sudo: x] New password: ", "[sudo: x] y] Password: ",
            "[su: authenticate] Password: ", "Shipping, decoded, fact: ", "one more time: ",
            "Password for 'host': ", "Username for '': ", "[sudo] password for : ", "[sudo] alice's password: ",
            "[sudo] alice 비밀번호: ", "[sudo] secret of alice: ", "Password for root@code.example.com: ",
            "Password for /home/pin/x.p12: ", "Password for user pin: ", "First Factor: ",
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

    @Test(
        "a question for a PIN or a one-time code gets no answer, even if an item is named",
        arguments: [
            "Enter PIN for 'x': ", "Enter PIN for ED25519-SK key /home/me/.ssh/id_sk: ",
            "Enter PIN for authenticator: ",
            "Enter PIN and confirm user presence for ECDSA-SK key SHA256:x: ", "PIN?", "(me) Code: ",
            "Code of me's phone: ", "Verification code: ", "[sudo: authenticate] Verification code: ",
            "One-time password (OATH) for `me': ", "Enter PASSCODE: ", "OTP: ", "Second Factor (optional): ",
            "[sudo] PIN for alice: ", "[sudo] Verification code for alice: ", "[sudo] One-time password for alice: ",
            "YubiKey for `alice': ", "2FA token: ", "Sicherheitscode: ", "Enter passphrase for PKCS#11: ", "PIN/OTP: ",
        ])
    func pins(text: String) throws {
        try test.store.set("x", for: .password(service: "x"))
        #expect(AskpassPrompt(text) == .pin)
        let said = try ask(AskpassPrompt(text).naming(service: "x", account: nil))
        #expect(said.output == "" && said.exitCode == 1 && said.message?.contains("uses up a try") == true)
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
        #expect(try ask(AskpassPrompt("Secret?").naming(service: "x", account: "me")).output == "s\n")
        #expect(try ask(AskpassPrompt("Secret?").naming(service: "x", account: nil)).output == "s\n")
        #expect(try ask(AskpassPrompt("Secret?").naming(service: "x", account: "you")).output == "")
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
