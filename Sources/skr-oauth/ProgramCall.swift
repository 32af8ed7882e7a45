import CommandSupport
import OAuth
import SecretText
import SessionKeyring

/// The call of `skr-oauth` by `skr`: a step, and words of the form `KEY=VALUE`.
struct ProgramCall {
    let step: String
    private let fields: [(name: String, value: String)]

    /// A call with words of another form has no step.
    init(_ line: CommandLineWords) {
        let words = (try? line.strings()) ?? []
        fields = words.dropFirst().compactMap(Self.pair)
        step = fields.count + 1 == words.count ? words[0] : ""
    }

    /// Splits `NAME=VALUE`; `nil` for another text.
    static func pair(of word: String) -> (name: String, value: String)? {
        guard let end = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        return (String(word[..<end]), String(word[word.utf8.index(after: end)...]))
    }

    /// The error for a call that doesn't come from `skr`.
    static var byHand: CommandError {
        .usage("skr runs this program", hint: "'skr help login' shows how to log in")
    }

    /// Returns all values of a repeated word.
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    func optional(_ name: String) -> String? { values(name).last }

    func value(_ name: String) throws(CommandError) -> String {
        guard let value = optional(name) else { throw Self.byHand }
        return value
    }

    var service: String { optional("service") ?? "" }
    var account: String { optional("account") ?? "" }

    /// The account's name as the user types it.
    var name: String { [service, account].filter { !$0.isEmpty }.map(Display.shellWord).joined(separator: " ") }

    /// Opens a namespace in the scope of the account.
    func store(_ namespace: String) throws -> SecretStore {
        let scopes: [(String, SecretScope)] = [
            ("session", .session), ("shared", .sharedSession), ("user", .user), ("persistent", .persistent),
        ]
        let name = try value("scope")
        guard let scope = scopes.first(where: { $0.0 == name })?.1 else { throw Self.byHand }
        return try SecretStore(scope, namespace: namespace)
    }

    func stored() throws -> StoredLogin {
        StoredLogin(try store(StoredLogin.namespace), service: service, account: account)
    }

    /// Deletes the tokens of the account in all namespaces that its lines use; returns whether there was one.
    func deleteTokens() throws -> Bool {
        var wasThere = false
        for namespace in values("namespace") {
            if try store(namespace).delete(.password(service: service, account: account)) { wasThere = true }
        }
        return wasThere
    }

    /// Reads the client secret, which is a secret of skr; `nil` without one.
    func clientSecret() throws(CommandError) -> SecretBox? {
        guard let reference = optional("client-secret") else { return nil }
        let (scope, namespace) = (try value("scope"), values("namespace").first ?? "")
        let options = ["--scope=\(scope == "shared" ? "session" : scope)", "--namespace=\(namespace)"]
        let run = try ToolRun([try SiblingProgram.path(of: "skr"), "get", reference] + options)
        guard run.exitCode == 0 else {
            throw CommandError(
                exitCode: .tryAgain, message: "\(name): the client secret can't be read",
                hint: "store it: skr set SERVICE, and name it: --client-secret skr://SERVICE")
        }
        return run.output.withBytes { SecretBox(copying: $0) }
    }
}
