import CommandSupport
import ArgumentParser

struct SetCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store a secret from standard input, or ask for it without echo.",
        discussion: """
            One newline at the end of standard input is dropped. What was stored under the name is replaced, with its \
            timeout, in one step. Without ACCOUNT it is the item that has none. Where standard input gives nothing, \
            because what should have made the secret failed, that is an error, and what was stored stays.

            Without --timeout, SKR_TIMEOUT says how long the secret lives.
            """
    )

    static let examples = """
        printf %s "$TOKEN" | skr set api --timeout 8h
        skr set db alice
        skr set --raw signing-key < key.pem
        """

    @OptionGroup var target: TargetArguments

    @Option(
        help: ArgumentHelp(
            "When the kernel drops it: 90s, 15m, 8h, 2d, 1h30m; never when the session ends only.",
            valueName: "duration|never"))
    var timeout: TimeoutArgument?

    @Flag(help: "Refuse if it is there already (exit code 73).")
    var new = false

    @Flag(help: "Keep a newline at the end of standard input.")
    var raw = false

    @Flag(help: "Take a secret of no bytes, which is an error otherwise (exit code 64).")
    var allowEmpty = false

    func action() throws(CommandError) -> any VerbAction {
        SetAction(
            target: try target.target(), timeout: try TimeoutArgument.usual(unless: timeout)?.duration, isNew: new,
            isRaw: raw, allowsEmpty: allowEmpty)
    }
}
