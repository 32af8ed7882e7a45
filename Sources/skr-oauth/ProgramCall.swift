import CommandSupport
import OAuth
import SecretText
import SessionKeyring

/// The call of `skr-oauth` by `skr`: a step, and words of the form `KEY=VALUE`.
struct ProgramCall {
    let step: String
    private var fields: [(name: String, value: String)] = []

    init(_ line: CommandLineWords) throws(CommandError) {
        let words = try line.strings()
        step = words.first ?? ""
        for word in words.dropFirst() {
            guard let end = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { throw Self.byHand }
            fields.append((String(word[..<end]), String(word[word.utf8.index(after: end)...])))
        }
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

    /// The account's name as the user writes it.
    var name: String { account.isEmpty ? service : "\(service) \(account)" }

    /// Opens a namespace in the scope of the account.
    func store(_ namespace: String) throws -> SecretStore {
        let scope: SecretScope
        switch try value("scope") {
        case "session": scope = .session
        case "shared": scope = .sharedSession
        case "user": scope = .user
        case "persistent": scope = .persistent
        default: throw Self.byHand
        }
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

    /// Reads the client secret, which is a secret of skr.
    ///
    /// - Returns: `nil` if the client has no secret.
    func clientSecret() throws -> SecretBox? {
        guard let reference = optional("client-secret") else { return nil }
        guard let own = try? WalkedPath.linkTarget("/proc/self/exe"), let slash = own.lastIndex(of: "/") else {
            throw CommandError.internalError("can't find skr without /proc", hint: "mount /proc")
        }
        let namespace = values("namespace").first.map { ["--namespace=\($0)"] } ?? []
        let scope = optional("scope").map { ["--scope=\($0 == "shared" ? "session" : $0)"] } ?? []
        let run = try ChildProgram(["\(own[...slash])skr", "get", reference] + scope + namespace)
        guard run.status == 0 else {
            throw CommandError(
                exitCode: .tryAgain, message: "\(name): the client secret can't be read",
                hint: "store it: skr set SERVICE, and name it: --client-secret skr://SERVICE")
        }
        return run.output
    }
}
