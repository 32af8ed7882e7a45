import CommandSupport
import CredentialHelpers
import SessionKeyring

/// The command line with which a client, such as git, calls its helper.
///
/// The argument parser does not parse it, because starting that parser takes several times as long as answering.
struct HelperCall {
    let client: any HelperClient.Type
    /// The words that are not options.
    private(set) var words: [String] = []
    /// The options that only this client has, with their values.
    private var options: [(name: String, value: String)] = []
    let place: Place
    /// The timeout of secrets that the client stores without a lifetime; `nil` for as long as the scope exists.
    let timeout: Duration?
    /// The command after `--`.
    var command: CommandLineWords
    /// All words before `--`, unchanged.
    private let said: [String]

    init(_ client: any HelperClient.Type, _ arguments: CommandLineWords) throws(CommandError) {
        var end: Int?
        if case .options = client.words { end = arguments.terminator }
        let command = arguments.suffix(from: end.map { $0 + 1 } ?? arguments.count)
        try self.init(client, try arguments.strings(before: end), command: command)
    }

    /// Returns the same call with more words.
    func adding(_ words: [String]) throws(CommandError) -> HelperCall {
        try HelperCall(client, said + words, command: command)
    }

    private init(
        _ client: any HelperClient.Type, _ said: [String], command: CommandLineWords
    ) throws(CommandError) {
        self.client = client
        self.said = said
        self.command = command
        guard case .options(let own, let flags, let behind) = client.words else {
            words = said
            place = try Place()
            timeout = try TimeoutArgument.usual()?.duration
            return
        }
        var rest = said[...]
        var (scope, namespace, timeout): (String?, String?, String?)
        while let word = rest.popFirst() {
            guard word.utf8.first == UInt8(ascii: "-") else {
                words.append(word)
                continue
            }
            if flags.contains(word) { continue }
            let sign = word.utf8.firstIndex(of: UInt8(ascii: "="))
            let written = sign.map { String(word[..<$0]) } ?? word
            let name = own.contains(written) ? written : ShortOption.long(written)
            guard Self.usualOptions.contains(name) || own.contains(name) else {
                throw .usage(
                    "unknown option \(Display.quoted(name))",
                    hint: LikelyMistake.hint(forOption: name, of: "install") ?? Self.hint(for: client))
            }
            guard let value = sign.map({ String(word[word.utf8.index(after: $0)...]) }) ?? rest.popFirst() else {
                throw .usage("\(Display.quoted(name)) needs a value", hint: Self.hint(for: client))
            }
            switch name {
            case "--scope": scope = value
            case "--namespace": namespace = value
            case "--timeout": timeout = value
            default: options.append((name, value))
            }
        }
        // Look for this mistake only if there is a timeout, because searching all words would delay every answer.
        if timeout != nil, let mistake = LikelyMistake.error(forDurationIn: said) { throw mistake }
        place = try Place(scopeNamed: scope, namespace: namespace)
        let said = try timeout.map { text throws(CommandError) in try TimeoutArgument.reading(text, of: "--timeout") }
        self.timeout = try TimeoutArgument.usual(unless: said)?.duration
        switch behind {
        case .nothing where command.count > 0:
            throw .usage(
                "the helper for \(client.name) doesn't run a command", hint: "remove '--' and the words after it")
        case .names: words += try command.strings()
        case .nothing, .command: break
        }
    }

    private static let usualOptions = ["--scope", "--namespace", "--timeout"]

    static func hint(for client: any HelperClient.Type) -> String {
        "'skr help helper \(client.name)' shows its options"
    }

    /// The first word, which for most clients names the operation; empty if there isn't one.
    var word: String { words.first ?? "" }

    /// Returns the last value of one of the client's own options.
    func option(_ name: String) -> String? { options.last { $0.name == name }?.value }

    /// Returns the call without its last word.
    func droppingLastWord() -> HelperCall {
        var call = self
        call.words.removeLast()
        return call
    }

    /// Whether the client wants a secret, so that a source can answer.
    var isReading: Bool { client.readingWord.map { $0 == word } ?? true }

    /// Opens the store for the helper.
    ///
    /// - Parameters:
    ///   - isStoring: whether the client asks to store a secret.
    ///   - isReading: whether a source can answer for a missing item.
    func helper(isStoring: Bool, isReading: Bool) throws(SecretStoreError) -> CredentialHelper {
        let store = try place.store()
        if isStoring { try place.warnIfShared(in: store) }
        let items = SourcedItems(store, of: place, warns: client.errors != .mixedWithAnswer)
        var helper = CredentialHelper(items: isReading ? items : store, timeout: timeout)
        helper.isDeclared = items.declares
        return helper
    }
}
