import CommandSupport
import CredentialHelpers
import Keyutils
import SessionKeyring

/// What a client says to its helper on the command line.
///
/// Not parsed by the argument parser, whose start takes several times as long as the answer, and which does not know the
/// clients' own options.
struct HelperCall {
    let client: HelperClient
    /// The words that are no options.
    private(set) var words: [String] = []
    /// The client's own options.
    private(set) var options: [(name: String, value: String)] = []
    let place: Place
    /// The timeout of what comes without one.
    let timeout: Duration?
    private static let usualOptions = ["--scope", "--namespace", "--timeout"]

    /// The command behind `--`.
    let command: CommandLineWords
    /// All words, as they were said.
    private let said: [String]

    init(_ client: HelperClient, _ arguments: CommandLineWords) throws(CommandError) {
        let end = client.hasOptions ? arguments.terminator ?? arguments.count : arguments.count
        try self.init(client, try arguments.strings(before: end), command: arguments.suffix(from: end + 1))
    }

    /// The same call with more words.
    func adding(_ words: [String]) throws(CommandError) -> HelperCall {
        try HelperCall(client, said + words, command: command)
    }

    private init(_ client: HelperClient, _ said: [String], command: CommandLineWords) throws(CommandError) {
        self.client = client
        self.said = said
        self.command = command
        var rest = said[...]
        var (scope, namespace, timeout): (String?, String?, String?)
        while let word = rest.popFirst() {
            guard client.hasOptions, word.utf8.first == UInt8(ascii: "-") else {
                words.append(word)
                continue
            }
            if client.ownFlags.contains(word) { continue }
            let sign = word.utf8.firstIndex(of: UInt8(ascii: "="))
            let name = sign.map { String(word[..<$0]) } ?? word
            guard Self.usualOptions.contains(name) || client.ownOptions.contains(name) else {
                throw .usage("unknown option \(Display.quoted(name))", hint: Self.hint(for: client))
            }
            guard let value = sign.map({ String(word[word.index(after: $0)...]) }) ?? rest.popFirst() else {
                throw .usage("\(Display.quoted(name)) needs a value", hint: Self.hint(for: client))
            }
            switch name {
            case "--scope": scope = value
            case "--namespace": namespace = value
            case "--timeout": timeout = value
            default: options.append((name, value))
            }
        }
        // Only here, because a client's start should not search all words.
        if timeout != nil, let mistake = LikelyMistake.error(forDurationIn: said) { throw mistake }
        place = try Self.place(scope: scope, namespace: namespace)
        self.timeout = try Self.timeout(timeout)
    }

    private static func place(scope: String?, namespace: String?) throws(CommandError) -> Place {
        let known = scope.flatMap(Place.Scope.init(rawValue:))
        if let scope, known == nil {
            throw .usage("--scope: no such scope: \(Display.quoted(scope))", hint: "use session, user or persistent")
        }
        return try Place(scope: known, namespace: namespace)
    }

    private static func timeout(_ text: String?) throws(CommandError) -> Duration? {
        var said: TimeoutArgument?
        if let text {
            said = TimeoutArgument(argument: text)
            guard said?.isPossible ?? false else {
                throw .usage(
                    "--timeout: \(Display.quoted(text)) is no duration of more than 0 and at most 4294967295 seconds",
                    hint: "write it as \(DurationText.forms), or never")
            }
        }
        return try TimeoutArgument.usual(unless: said)?.duration
    }

    static func hint(for client: HelperClient) -> String {
        let options = ["--timeout DURATION", "--scope SCOPE", "--namespace NAME"] + client.ownOptions
        return "the helper for \(client.rawValue) takes \(options.joined(separator: ", "))"
    }
}

extension HelperCall {
    /// So many bytes are no request: no key can hold what is in it.
    static let largestRequest = Key.largestBigPayload + 65_536

    /// The last value of one of the client's own options.
    func option(_ name: String) -> String? { options.last { $0.name == name }?.value }

    /// - Parameter isStoring: whether the client asks to store a secret; as its words say unless given.
    func helper(isStoring: Bool? = nil) throws(SecretStoreError) -> CredentialHelper {
        let store = try place.store()
        let isStoringByWord = words.first == (client == .keyring ? "set" : "store")
        if isStoring ?? isStoringByWord { try place.warnIfShared(in: store) }
        return CredentialHelper(items: store, timeout: timeout)
    }

    func action() throws(CommandError) -> any VerbAction {
        switch client {
        case .cargo: CargoSession(call: self)
        // For it, '--' ends the options.
        case .keyring: HelperAction(call: self)
        default: command.count > 0 ? try TokenCall(self).action() : HelperAction(call: self)
        }
    }
}
