import SecretText
import SessionKeyring

/// What a program asks for, by the prompt that it hands to its askpass program.
///
/// Only prompts that are known to the last character count: what stands in them may come from a server.
public enum AskpassPrompt: Equatable, Sendable {
    /// For the secret of this item; of any account where none is named.
    case secret(service: String, account: String?)
    /// For the name of the account.
    case account(service: String, account: String?)
    /// For yes or no, which a person decides.
    case question
    /// For a passphrase once more, because what was answered is wrong.
    case retry
    /// For what a server asks in its own words, behind which it may hide whatever it wants to know.
    case fromServer
    /// For something that the prompt does not name.
    case unknown

    /// Reads a prompt of ssh, ssh-add, git or sudo.
    public init(_ text: String) {
        var bytes = text.utf8[...]
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        if text.contains("Are you sure you want to continue connecting") || bytes.starts(with: "Please type 'yes'".utf8)
        {
            self = .question
        } else if bytes.starts(with: "Bad passphrase, try again".utf8) {
            self = .retry
        } else {
            self =
                Self.ofKey(bytes) ?? Self.ofLogin(bytes) ?? Self.ofGit(bytes)
                ?? (Self.isFromServer(bytes) ? .fromServer : .unknown)
        }
    }

    /// The same question, about this item where the prompt names nothing.
    ///
    /// What it names keeps its own item: else any host that asks would get the secret that is for one.
    public func naming(service: String, account: String?) -> AskpassPrompt {
        self == .unknown ? .secret(service: service, account: account) : self
    }

    /// Whether it has `(user@host)` before it, or speaks of a `user@host's` password, as ssh does for a server.
    private static func isFromServer(_ text: Substring.UTF8View) -> Bool {
        text.contains(UInt8(ascii: "@")) && (text.first == UInt8(ascii: "(") || Substring(text).contains("'s "))
    }

    private static func ofKey(_ text: Substring.UTF8View) -> AskpassPrompt? {
        let path =
            text.between("Enter passphrase for key '", "':")
            ?? text.between("Enter passphrase for ", " (will confirm each use):")
            ?? text.between("Enter passphrase for ", ":")
        return path.map { .secret(service: String(Substring($0)), account: nil) }
    }

    private static func ofLogin(_ text: Substring.UTF8View) -> AskpassPrompt? {
        if let user = text.between("[sudo] password for ", ":") {
            return .secret(service: "sudo", account: String(Substring(user)))
        }
        // Behind the bracket the server says what it likes.
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
        let service = Origin(scheme: origin.scheme, host: login?.host ?? origin.host, path: origin.path)?.service
        guard let service else { return nil }
        guard name == nil else { return .account(service: service, account: nil) }
        return .secret(service: service, account: login.map { decode($0.user) })
    }

    private static func decode(_ user: String) -> String {
        PercentCoding.bytes(of: user.utf8).flatMap { String(validating: $0, as: UTF8.self) } ?? user
    }
}

extension Substring.UTF8View {
    /// What stands between these two, which are the beginning and the end; `nil` for nothing.
    fileprivate func between(_ start: String, _ end: String) -> Self? {
        guard count > start.utf8.count + end.utf8.count, starts(with: start.utf8),
            suffix(end.utf8.count).elementsEqual(end.utf8)
        else { return nil }
        return dropFirst(start.utf8.count).dropLast(end.utf8.count)
    }

    /// `user@host`: a user's name may have another `@`.
    fileprivate var splitAtLastSign: (user: String, host: String)? {
        guard let sign = lastIndex(of: UInt8(ascii: "@")), sign > startIndex, index(after: sign) < endIndex else {
            return nil
        }
        return (String(Substring(self[..<sign])), String(Substring(self[index(after: sign)...])))
    }
}
