import CommandSupport
import ArgumentParser

struct SetCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store a secret from standard input, or ask for it without echo.",
        discussion: """
            set drops one newline at the end of standard input. It replaces an existing secret and its timeout in \
            one step. Without ACCOUNT, the item has no account.

            A text that ends in a carriage return, as lines of Windows files do, is stored with a warning.

            If the existing secret has a timeout and you give no new one, a line on standard error reports it.

            Empty standard input is an error, because the program before the pipe has probably failed; the existing \
            secret stays.

            Without --timeout, SKR_TIMEOUT sets how long the secret is kept.
            """
    )

    static let examples = """
        printf %s "$TOKEN" | skr set api --timeout 8h
        skr set db alice
        skr set --raw signing-key < key.pem
        openssl rand -base64 32 | skr set --new session-key
        """

    @OptionGroup var target: TargetArguments

    @Option(
        name: .joinable("t"),
        help: ArgumentHelp(
            "How long the secret is kept: 90s, 15m, 8h, 2d or 1h30m; never means until the session ends.",
            valueName: "duration|never"))
    var timeout: TimeoutArgument?

    @Flag(help: "Fail if the item already exists (exit code 73).")
    var new = false

    @Flag(help: "Keep a newline at the end of standard input.")
    var raw = false

    @Flag(help: "Accept an empty secret, which is otherwise an error (exit code 64).")
    var allowEmpty = false

    func action() throws(CommandError) -> any VerbAction {
        guard target.account != "-" else {
            throw .usage(
                "'-' is not an account: set reads the secret from standard input by itself",
                hint: "leave out the '-': skr set SERVICE [ACCOUNT] < FILE")
        }
        return SetAction(
            target: try target.target(), timeout: try TimeoutArgument.usual(unless: timeout), isNew: new,
            isRaw: raw, allowsEmpty: allowEmpty)
    }
}
