import ArgumentParser
import CommandSupport
import SessionKeyring

struct CachedCommand: LaunchingVerb {
    static let configuration = CommandConfiguration(
        commandName: "cached",
        abstract: "Print what a command printed before; run it once where there is nothing yet.",
        discussion: """
            Prints CMD's output, byte for byte, from the keyring until its timeout. Where there is none, one of all \
            processes that ask runs CMD and the others wait for what it prints. If CMD fails, its caller gets its \
            output, errors and exit code (128+N for a signal, 126 or 127 where it can't be run), nothing is kept, and \
            one of those who wait tries next. If the process that runs CMD is killed, so is CMD, and another goes on \
            within 10 s.

            The output is kept under NAME and the --key arguments. Another command under the same NAME runs, its output \
            replaces the kept one, and a warning names --key, which keeps the two apart. CMD reads from /dev/null, unless \
            standard input is a terminal.

            Without --timeout, SKR_TIMEOUT says how long the output is kept, unless --timeout-from-json does.

            --timeout-from-json takes the lifetime from the output: a number of seconds, a Unix time (any number above \
            1,000,000,000), or a date and time as in RFC 3339; with --timeout too, the smaller wins. One in the past, \
            or more than 10 years away, is none. Where the field can't be used, that is error 65, and nothing is \
            printed.

            --refresh-before runs CMD before the output is gone, in one of the processes that ask, while the others \
            still get the old one. If that fails, the old one serves. With --stale-while-refreshing that process gets \
            the old one at once too, and CMD runs in the background, with no descriptor of its caller's.

            --cache-failures remembers a failure, its output and its exit code, and gives it to all that ask. It has \
            a duration of its own, which SKR_TIMEOUT says nothing about.

            In a session that another user owns, CMD runs and nothing is kept or taken, unless --scope session or \
            SKR_SCOPE says that the session is meant. The same goes for a session that has ended, such as in a tmux that \
            outlived its login.

            Where the quota is full, the output too large for a key, or others keep the item from being stored, it is \
            printed and not kept, with a warning; the exit code is CMD's.
            """
    )

    static let examples = """
        skr cached token --timeout 15m -- vault print token
        skr cached sts --key "$ROLE" --timeout-from-json .Credentials.Expiration \\
            -- aws sts assume-role --role-arn "$ROLE" --role-session-name me
        skr cached prompt --timeout 5m --refresh-before 4m --stale-while-refreshing -- ./slow-status
        skr cached --forget sts --key "$ROLE"
        """

    @Argument(help: "What the output is kept as.", completion: .names(.cachedNames))
    var name: String

    @Option(help: ArgumentHelp("What tells this output from others of that name; may be repeated.", valueName: "arg"))
    var key: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long the output is kept: 90s, 15m, 8h, 2d, 1h30m; never for as long as the session.",
            valueName: "duration|never"))
    var timeout: TimeoutArgument?

    @Option(
        help: ArgumentHelp("Where in the output its lifetime stands, such as .expires_in.", valueName: "path"))
    var timeoutFromJson: String?

    @Option(help: ArgumentHelp("Run CMD anew so long before the end.", valueName: "duration"))
    var refreshBefore: DurationArgument?

    @Flag(help: "Run it in the background then.")
    var staleWhileRefreshing = false

    @Option(help: ArgumentHelp("How long a failure is remembered; without it, not at all.", valueName: "duration"))
    var cacheFailures: DurationArgument?

    @Flag(help: "Run CMD in any case, and replace what is kept.")
    var force = false

    @Flag(help: "Drop what is kept, and run nothing (exit code 1 if there was nothing).")
    var forget = false

    @OptionGroup var options: PlaceOptions

    @OptionGroup var launched: LaunchedCommand

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction {
        let item = ItemIdentity.cached(name, variant: CachedVariant.text(of: key))
        guard !forget else {
            guard command.count == 0, !force else {
                throw .usage("--forget runs no command", hint: "leave out what is behind '--', and --force")
            }
            return ForgetAction(place: try options.place(), item: item)
        }
        let action = CachedAction(
            place: try options.place(), item: item,
            timeout: try CachedAction.timeout(timeout, lifetimePath: timeoutFromJson), lifetimePath: timeoutFromJson,
            refreshBefore: refreshBefore?.duration, isStaleWhileRefreshing: staleWhileRefreshing,
            failureTimeout: cacheFailures?.duration, isForced: force, command: command)
        try action.check()
        return action
    }
}
