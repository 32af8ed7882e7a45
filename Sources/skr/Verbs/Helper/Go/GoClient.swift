import CommandSupport
import CredentialHelpers

struct GoClient: HelperClient {
    static let name = "go"
    static let summary = "Tokens of private modules, for go."
    static let details = """
        Works as a GOAUTH command of go 1.24 and later. go adds the URL that it needs as the last argument.

        Without NAME, skr looks for an item whose service is that URL or a parent of it, and takes the longest \
        match. An item with an account is a user's password (Basic); an item without one is a token (Bearer).

        With NAME, skr uses that item, or CMD's output, but only for URLs at or below --prefix. \
        \(TokenWords.details)

        skr takes a last argument that begins with https:// for go's URL, and does not pass it to CMD.

        'skr cached --forget NAME --key go' deletes the kept output. With --prefix, add --key ACCOUNT ('' without an \
        account) and --key PREFIX.
        """
    static let examples = """
        skr helper install go
        printf tok3n | skr set https://go.example.com/private --timeout 8h
        skr helper go https://go.example.com/private/module
        """

    static let start = HelperStart.commandLine
    static let errors = HelperErrors.onStandardError

    private let prefix: String?
    private let options: HelperOptions
    private let limit: Duration?
    private let command: CommandLineWords?
    /// NAME, ACCOUNT and the URL, if they are on the command line.
    private let names: [String]

    init(_ words: inout CommandWords) {
        prefix = words.option(
            "--prefix", value: "https://HOST[/PATH]", "The URL that the secret is for; without it, NAME.")
        limit = words.tokenLimit()
        options = HelperOptions(&words)
        command = words.tokenCommand()
        names = [
            words.optionalWord("NAME", TokenWords.nameHelp, .services),
            words.optionalWord("ACCOUNT", TokenWords.accountHelp, .accounts),
            words.optionalWord("URL", "The URL that go needs the secret for; go adds it."),
        ].compactMap(\.self)
    }

    func run() throws {
        let (names, command, url) = try takingURL()
        guard let name = names.first else {
            guard command == nil else { throw CommandError.usage("NAME is missing", hint: Self.form) }
            try options.call(of: Self.self).answer(.none, isReading: true) { helper, _ in try helper.go(url: url) }
        }
        guard names.count <= 2 else {
            throw CommandError.usage("unexpected word \(Display.quoted(names[2]))", hint: Self.form)
        }
        let account = names.count > 1 ? names[1] : nil
        guard let place = WebAddress(service: prefix ?? name), place.scheme == "https" else {
            throw CommandError.usage(
                "no https URL given for the secret", hint: "pass --prefix https://HOST[/PATH], or use that URL as NAME")
        }
        // go asks for every URL, and accepts that most of them get no answer.
        guard let headers = url.map({ GoHeaders(for: place, asIn: $0) }) ?? GoHeaders(for: place) else { return }
        try TokenCall(options.call(of: Self.self), name: name, account: account, command: command, limit: limit)
            .answer(for: [prefix]) { headers }
    }

    private static let form = "skr helper go NAME [ACCOUNT] [-- CMD]"

    /// Returns the names and the command without the URL that go has added, and the URL.
    ///
    /// The URL is the last word of all. If there is a command, the URL comes after it, and the command must not get it.
    ///
    /// The last word can also be the user's own https URL. We can't tell the two apart, so we take it for go's URL.
    /// This is safe: unless the prefix covers the URL, the command is not run, and its output is not kept.
    private func takingURL() throws(CommandError) -> (names: [String], command: CommandLineWords?, url: String?) {
        let last = command.map { $0[$0.count - 1] } ?? names.last
        guard let last, last.utf8.starts(with: "https://".utf8) else { return (names, command, nil) }
        guard let command else { return (names.dropLast(), nil, last) }
        guard command.count > 1 else { throw .usage("no command to run", hint: "write it after '--': \(Self.form)") }
        return (names, command.droppingLast(), last)
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(words: "skr helper go", files: [("GOENV", ".config/go/env")], variables: ["GOAUTH"]) { call, _ in
            [
                "go 1.24 or later:", "  go env -w GOAUTH=\(Display.shellWord("skr helper go\(call.shellOptions)"))",
                "store the token under the URL of the modules; for a password, add the user's name:",
                call.storing("https://go.example.com/private"),
            ]
        }
    }
}
