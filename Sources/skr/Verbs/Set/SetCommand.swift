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

            --generate stores random characters of A-Z a-z 0-9 _ -, reads no standard input and prints nothing. A \
            number behind it is how many, 32 without one; to store under a name that is a number, write that first: \
            skr set 64 --generate.

            Without --timeout, SKR_TIMEOUT says how long the secret lives.
            """
    )

    static let examples = """
        printf %s "$TOKEN" | skr set api --timeout 8h
        skr set db alice
        skr set --raw signing-key < key.pem
        skr set --new session-key --generate 64
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

    @Option(
        help: ArgumentHelp("Store so many random characters, 32 if no number follows.", valueName: "length"))
    var generate: Int?

    func action() throws(CommandError) -> any VerbAction {
        if let generate {
            guard !raw, !allowEmpty else {
                throw .usage(
                    "--generate reads nothing, so --raw and --allow-empty mean nothing",
                    hint: "leave them out, or --generate")
            }
            guard GeneratedSecret.lengths.contains(generate) else {
                throw .usage(
                    "--generate stores \(GeneratedSecret.lengths.lowerBound) to \(GeneratedSecret.lengths.upperBound) characters",
                    hint: "leave the number out for \(GeneratedSecret.usualLength)")
            }
        }
        return SetAction(
            target: try target.target(), timeout: try TimeoutArgument.usual(unless: timeout)?.duration, isNew: new,
            isRaw: raw, allowsEmpty: allowEmpty, generatedLength: generate)
    }
}
