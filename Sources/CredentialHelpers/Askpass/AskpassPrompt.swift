import Keyutils
import SecretText
import SessionKeyring

/// The question that a program asks in the prompt for its askpass program.
///
/// A prompt must match a known one to the last character, because a server can supply the text in it.
public enum AskpassPrompt: Equatable, Sendable {
    /// The secret of this item; of any account if `account` is `nil`.
    case secret(service: String, account: String?)
    /// The name of the account.
    case account(service: String, account: String?)
    /// A yes-or-no question, which a person has to answer.
    case question
    /// The passphrase again, because the previous answer was wrong.
    case retry
    /// A question in a server's own words, which can ask for anything.
    case fromServer
    /// A PIN or a one-time code. A stored answer is probably wrong, and a wrong answer uses up a try.
    case pin
    /// A question whose subject the prompt does not name.
    case unknown

    /// Parses a prompt of ssh, ssh-add or git, or of sudo in any of its languages.
    public init(_ text: String) {
        var bytes = text.utf8[...]
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        if text.contains("(yes/no") || bytes.starts(with: "Please type 'yes'".utf8) {
            self = .question
        } else if bytes.starts(with: "Bad passphrase, try again".utf8) {
            self = .retry
        } else {
            self =
                Self.ofKey(bytes) ?? Self.ofSudo(bytes) ?? Self.ofLogin(bytes) ?? Self.ofGit(bytes)
                ?? (Self.isFromServer(bytes) ? .fromServer : Self.isForPIN(bytes) ? .pin : .unknown)
        }
    }

    /// Returns the same question, about this item if the prompt names nothing.
    ///
    /// A prompt that names something keeps its own item. Otherwise, any host that asks would get
    /// the secret of one host.
    public func naming(service: String, account: String?) -> AskpassPrompt {
        self == .unknown ? .secret(service: service, account: account) : self
    }

    /// Returns whether the prompt has the form that ssh uses for a server's question.
    ///
    /// It starts with `(user@host)`, or contains `user@host's`, as in `user@host's password`.
    private static func isFromServer(_ text: Substring.UTF8View) -> Bool {
        text.contains(UInt8(ascii: "@")) && (text.first == UInt8(ascii: "(") || Substring(text).contains("'s "))
    }

    /// Returns whether one of the prompt's words names a PIN or a one-time code; users, hosts and paths don't count.
    private static func isForPIN(_ text: Substring.UTF8View) -> Bool {
        var words: [String] = []
        var isName = false
        for part in text.split(separator: UInt8(ascii: " ")) {
            let isPath = part.first == UInt8(ascii: "/") || part.dropLast().contains { "@.".utf8.contains($0) }
            if !isName, !isPath {
                words += part.split { !$0.isLetter && !$0.isDigit }.map { String(Substring($0)).asciiLowercased }
            }
            isName = ["for", "user"].contains { part.elementsEqual($0.utf8) }
        }
        return words.contains { $0.hasSuffix("code") || ["pin", "puk", "otp", "totp", "2fa", "yubikey"].contains($0) }
            || zip(words, words.dropFirst()).contains { ["one time", "second factor"].contains("\($0) \($1)") }
    }

    private static func ofKey(_ text: Substring.UTF8View) -> AskpassPrompt? {
        let path =
            text.between("Enter passphrase for key '", "':")
            ?? text.between("Enter passphrase for ", " (will confirm each use):")
            ?? text.between("Enter passphrase for ", ":")
        // 'ssh-add -s' asks for the PIN of a token.
        return path.map { Substring($0) == "PKCS#11" ? .pin : .secret(service: String(Substring($0)), account: nil) }
    }

    /// The prompts of sudo's translations, present and earlier ones, with `%` for the user.
    private static let sudoPrompts = [
        "password for %:", "contraseña de %:", "contraseña para %:", "contrasenya per a %:", "heslo pro %:",
        "heslo pre používateľa %:", "adgangskode for %:", "Passwort für %:", "pasvorto por %:", "گذرواژهٔ %:",
        "%-käyttäjän salasana:", "salasana henkilölle %:", "Mot de passe de %\u{A0}:", "password par %:",
        "lozinka za %:", "% jelszava:", "kata sandi untuk %:", "password di %:", "% のパスワード:", "პაროლი %-სთვის:",
        "პაროლი მომხმარებლისთვის %:", "%의 암호:", "% 암호:", "passord for %:", "wachtwoord voor %:", "hasło użytkownika %:",
        "senha para %:", "parola pentru %:", "пароль для %:", "пароль до %:", "лозинка за корисника %:",
        "lösenord för %:", "mật khẩu dành cho %:", "% 的密码：", "% 的密碼：",
    ]

    /// Parses a prompt of sudo's translations, or of sudo-rs, which does not name the user.
    private static func ofSudo(_ text: Substring.UTF8View) -> AskpassPrompt? {
        if let asked = text.between("[sudo: ", "] Password:"), !asked.contains(UInt8(ascii: "]")) {
            return .secret(service: "sudo", account: nil)
        }
        for prompt in sudoPrompts {
            let parts = prompt.split(separator: "%", omittingEmptySubsequences: false).map(String.init)
            guard let user = ["[sudo] ", "[судо] "].lazy.compactMap({ text.between($0 + parts[0], parts[1]) }).first,
                // Without a word before it, the user could be a whole question.
                !parts[0].isEmpty || !user.contains(UInt8(ascii: " "))
            else { continue }
            return .secret(service: "sudo", account: String(Substring(user)))
        }
        return nil
    }

    private static func ofLogin(_ text: Substring.UTF8View) -> AskpassPrompt? {
        // The server chooses the text after the closing parenthesis.
        let asked = text.between("(", ") Password:") ?? text.between("(", ") password:")
        let login = asked.flatMap { $0.contains(UInt8(ascii: ")")) ? nil : $0 } ?? text.between("", "'s password:")
        guard let (user, host) = login?.splitAtLastSign else { return nil }
        return .secret(service: host, account: user)
    }

    private static func ofGit(_ text: Substring.UTF8View) -> AskpassPrompt? {
        let name = text.between("Username for '", "':")
        guard let url = name ?? text.between("Password for '", "':"), let origin = Origin(String(Substring(url))) else {
            return nil
        }
        let login = Substring(origin.host).utf8.splitAtLastSign
        let service = Origin(
            scheme: origin.scheme, host: (login?.host ?? origin.host).asciiLowercased, path: origin.path)?.service
        guard let service else { return nil }
        guard name == nil else { return .account(service: service, account: nil) }
        return .secret(service: service, account: login.map { decode($0.user) })
    }

    private static func decode(_ user: String) -> String {
        PercentCoding.bytes(of: user.utf8).flatMap { String(validating: $0, as: UTF8.self) } ?? user
    }
}

extension Substring.UTF8View {
    /// Returns the text between this start and this end; `nil` if the text doesn't match, or nothing is in between.
    fileprivate func between(_ start: String, _ end: String) -> Self? {
        guard count > start.utf8.count + end.utf8.count, starts(with: start.utf8),
            suffix(end.utf8.count).elementsEqual(end.utf8)
        else { return nil }
        return dropFirst(start.utf8.count).dropLast(end.utf8.count)
    }

    /// Splits `user@host` at the last `@`, because a user's name can contain another one.
    fileprivate var splitAtLastSign: (user: String, host: String)? {
        guard let sign = lastIndex(of: UInt8(ascii: "@")), sign > startIndex, index(after: sign) < endIndex else {
            return nil
        }
        return (String(Substring(self[..<sign])), String(Substring(self[index(after: sign)...])))
    }
}
