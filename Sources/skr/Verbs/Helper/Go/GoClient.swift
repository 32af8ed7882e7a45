import ArgumentParser
import CommandSupport
import CredentialHelpers

struct GoClient: HelperClient, ExampleCommand {
    static let name = "go"
    static let summary = "Tokens of private modules, for go."
    static let details = """
        Works as a GOAUTH command of go 1.24 and later. go adds the URL that it needs as the last argument.

        Without NAME, skr looks for an item whose service is that URL or a parent of it, and takes the longest \
        match. An item with an account is a user's password (Basic); an item without one is a token (Bearer).

        With NAME, skr uses that item, or CMD's output, but only for URLs at or below --prefix. \
        \(TokenArguments.details)

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
    static let words = HelperWords.options(["--prefix"], flags: [], behind: .command)
    static let errors = HelperErrors.onStandardError
    static let readingWord: String? = nil

    @Argument(help: "The item, or the name under which skr keeps CMD's output.", completion: .names(.services))
    var name: String?

    @Argument(help: "The item's account; required if the service has several.", completion: .names(.accounts))
    var account: String?

    @Option(help: ArgumentHelp("The URL that the secret is for; without it, NAME.", valueName: "https://host[/path]"))
    var prefix: String?

    @OptionGroup var options: HelperOptions

    @OptionGroup var command: LaunchedCommand

    static func action(for said: HelperCall) throws(CommandError) -> any VerbAction {
        let (call, url) = try takingURL(from: said)
        if call.words.isEmpty, call.command.count == 0 {
            return HelperAction(call: call, request: .none) { _, helper, _ in try helper.go(url: url) }
        }
        let tokenCall = try TokenCall(call)
        guard let place = WebAddress(service: call.option("--prefix") ?? call.word), place.scheme == "https" else {
            throw .usage(
                "no https URL given for the secret", hint: "pass --prefix https://HOST[/PATH], or use that URL as NAME")
        }
        // go asks for every URL, and accepts that most of them get no answer.
        guard let headers = url.map({ GoHeaders(for: place, asIn: $0) }) ?? GoHeaders(for: place) else {
            return NoAnswer()
        }
        return try tokenCall.action(for: [call.option("--prefix")]) { headers }
    }

    /// Returns the call without the URL that go has added, and the URL.
    ///
    /// The URL is the last word of all. If there is a command, the URL comes after it, and the command must not get it.
    ///
    /// The last word can also be the user's own https URL. We can't tell the two apart, so we take it for go's URL.
    /// This is safe: unless the prefix covers the URL, the command is not run, and its output is not kept.
    private static func takingURL(from said: HelperCall) throws(CommandError) -> (HelperCall, url: String?) {
        let command = said.command
        let last = command.count > 0 ? command[command.count - 1] : said.words.last
        guard let last, last.utf8.starts(with: "https://".utf8) else { return (said, nil) }
        guard command.count > 0 else { return (said.droppingLastWord(), last) }
        var call = said
        call.command = command.droppingLast()
        try call.command.requireCommand("skr helper go NAME [ACCOUNT] -- CMD")
        return (call, last)
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
