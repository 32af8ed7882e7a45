import CommandSupport
import CredentialHelpers
import Keyutils
import SecretText
import SessionKeyring

/// A call of a helper that is told what to answer with: the name of an item, or a command that prints it.
struct TokenCall {
    private let call: HelperCall
    /// The item; `nil` where go is to have whatever is for its URL.
    private let target: Target?
    private let command: CommandLineWords
    /// What go has added to its words.
    private let url: String?

    init(_ call: HelperCall) throws(CommandError) {
        self.call = call
        let words: [String]
        (words, command, url) = try Self.split(call)
        let isNamed = words.count == 1 || words.count == 2
        guard Self.clients.contains(call.client), isNamed || (words.isEmpty && command.count == 0 && call.client == .go)
        else { throw Self.usage(call.client) }
        target = words.first.map { Target(place: call.place, service: $0, account: words.count > 1 ? words[1] : nil) }
        if call.client == .go, target != nil, prefix == nil {
            throw .usage(
                "what is the secret for", hint: "pass --prefix https://HOST[/PATH], or name the item so")
        }
    }

    /// The words and the command without the URL that go has added, and the URL.
    ///
    /// It is the last word of all, behind the command where there is one, which is not to get it. A last word of the user's own
    /// that is an https URL can't be told apart from it: go has only added it where the prefix covers it, and for nothing else
    /// the command is run, or its output kept.
    private static func split(
        _ call: HelperCall
    ) throws(CommandError) -> (words: [String], command: CommandLineWords, url: String?) {
        let command = call.command
        let last = command.count > 0 ? command[command.count - 1] : call.words.last
        guard call.client == .go, let last, last.utf8.starts(with: "https://".utf8) else {
            return (call.words, command, nil)
        }
        guard command.count > 0 else { return (call.words.dropLast(), command, last) }
        try command.droppingLast().requireCommand(form(of: .go))
        return (call.words, command.droppingLast(), last)
    }

    /// Those whose helper is told an item or a command.
    private static let clients: [HelperClient] = [.aws, .kubernetes, .google, .go, .npm]

    private static func form(of client: HelperClient) -> String {
        "skr helper \(client.rawValue) NAME [ACCOUNT] [-- COMMAND]"
    }

    private static func usage(_ client: HelperClient) -> CommandError {
        guard clients.contains(client) else {
            return .usage("the helper for \(client.rawValue) runs no command", hint: "leave out what is behind '--'")
        }
        return .usage("the helper for \(client.rawValue) needs the name of an item", hint: form(of: client))
    }

    /// Where go's secret is for: what the option says, else the item's name.
    private var prefix: String? {
        let said = call.option("--prefix") ?? target?.service
        guard let said, let place = WebAddress(service: said), place.scheme == "https" else { return nil }
        return said
    }
}

extension TokenCall {
    /// The answer from an item.
    func answer(by helper: CredentialHelper) throws -> HelperAnswer {
        guard let target else { return try helper.go(url: url) }
        let (service, account) = (target.service, target.account)
        let request = Self.kubernetesRequest
        do throws(SecretStoreError) {
            return switch call.client {
            case .kubernetes: try unsafe helper.kubernetes(service, account: account, request: request.span.bytes)
            case .google: try helper.google(service, account: account, tokenType: Self.googleType)
            case .go: try helper.go(service, account: account, prefix: prefix ?? "", url: url)
            case .npm: try helper.npm(service, account: account)
            default: try helper.aws(service, account: account)
            }
        } catch {
            guard error.code == .notFound else { throw error }
            throw target.missing(target.exactItem, in: try call.place.store())
        }
    }

    /// What runs the command, or answers with what it has printed before.
    func action() throws(CommandError) -> any VerbAction {
        guard let target else { throw Self.usage(call.client) }
        guard let format = try format() else { return NoAnswer() }
        return CachedAction(
            place: call.place, item: .cached(target.service, variant: CachedVariant.text(of: try keys(target))),
            timeout: call.timeout.map { .after($0) } ?? .never, lifetimePath: nil, refreshBefore: nil,
            isStaleWhileRefreshing: false, failureTimeout: nil, isForced: false, command: command,
            client: TokenClient(
                format: format, account: target.account ?? "", readsErrors: call.client == .google))
    }

    /// What a kept answer is told apart by: also whom it is for, lest it is given to another.
    private func keys(_ target: Target) throws(CommandError) -> [String] {
        let recipient = try recipient()
        guard recipient.contains(where: { $0 != nil }) else {
            return [call.client.rawValue] + (target.account.map { [$0] } ?? [])
        }
        // Each in its place: an account may be called like a server.
        return [call.client.rawValue, target.account ?? ""] + recipient.map { $0 ?? "" }
    }

    /// Whom the secret is for, as far as that is said.
    private func recipient() throws(CommandError) -> [String?] {
        switch call.client {
        case .kubernetes:
            // What is no text must not count as a request that names no cluster.
            let request = Array((try Place.environment("KUBERNETES_EXEC_INFO") ?? "").utf8)
            let server = unsafe JSONField.text(of: JSONPath("spec.cluster.server"), in: request.span.bytes)
            return [server?.text]
        case .google:
            let audience = try Place.environment("GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE")
            let email = try Place.environment("GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL")
            return [audience, email]
        case .go: return [call.option("--prefix")]
        default: return []
        }
    }

    /// `nil` where there is nothing to say.
    private func format() throws(CommandError) -> (any TokenFormat)? {
        let request = Self.kubernetesRequest
        do throws(UnusableToken) {
            switch call.client {
            case .kubernetes: return try unsafe ExecCredential(asked: request.span.bytes)
            case .google: return try GoogleToken(type: Self.googleType)
            case .go:
                guard let prefix, let place = WebAddress(service: prefix) else { return nil }
                guard let url else { return GoHeaders(for: place) }
                return GoHeaders(for: place, asIn: url)
            case .npm: return NpmAuthorization()
            default: return AWSCredentials()
            }
        } catch {
            throw .data(error.message, hint: error.hint)
        }
    }
}

/// What clients say in the environment; what is no text says nothing.
extension TokenCall {
    private static var kubernetesRequest: [UInt8] {
        Array(((try? Place.environment("KUBERNETES_EXEC_INFO")) ?? "").utf8)
    }

    private static var googleType: String? { (try? Place.environment("GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE")) ?? nil }
}

/// Nothing to say, and no error.
private struct NoAnswer: VerbAction {
    func run() {}
}
