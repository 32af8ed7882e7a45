import ArgumentParser
import CommandSupport
import SessionKeyring

struct CachedCommand: LaunchingVerb {
    static let configuration = CommandConfiguration(
        commandName: "cached",
        abstract: "Print the stored output of a command; run the command if none is stored.",
        discussion: """
            cached prints CMD's stored output, byte for byte, until its timeout. If no output is stored, one of the \
            processes that ask runs CMD, and the others wait for its output. CMD reads from /dev/null, unless \
            standard input is a terminal.

            The output is stored under NAME and the --key arguments, together with a hash of the command line. If \
            another command line uses the same NAME and keys, its output replaces the stored one, and a warning \
            suggests --key.

            FAILURES: if CMD fails, its caller gets CMD's output, errors and exit code: 128+N for a signal, 126 or \
            127 if CMD can't be run. Nothing is stored, and one of the waiting processes runs CMD next.

            --cache-failures also stores a failure, with its output and exit code, and gives it to every process \
            that asks. It has its own duration; SKR_TIMEOUT doesn't apply.

            If skr is killed while CMD runs, CMD is killed too, and another process takes over within 10 s.

            LIFETIME: without --timeout and --timeout-from-json, SKR_TIMEOUT sets how long the output is kept.

            --timeout-from-json reads the lifetime from a field of the output: a number of seconds, a Unix time \
            (above 1,000,000,000), or a date and time as in RFC 3339. A number can also be a string. If --timeout is \
            shorter, it wins.

            If the field can't be used, or if its time is past or more than 10 years away, the exit code is 65, and \
            nothing is stored or printed.

            REFRESHING: with --refresh-before, one caller runs CMD before the output expires, while the others get \
            the old output. If CMD fails, that caller gets the old output too.

            With --stale-while-refreshing, that caller gets the old output without waiting, and CMD runs in the \
            background, without the caller's open files.

            LIMITS: in a session that has ended, as in a tmux that outlived its login, skr runs CMD, and neither \
            stores nor reads an output. It does the same in a session that another user owns, unless you name the \
            scope: --scope session or SKR_SCOPE=session.

            If the quota is full, the output is too large for a key, or other processes keep skr from storing it, \
            skr prints the output with a warning. The exit code is CMD's.
            """
    )

    static let examples = """
        skr cached token --timeout 15m -- vault print token
        skr cached sts --key "$ROLE" --timeout-from-json .Credentials.Expiration \\
            -- aws sts assume-role --role-arn "$ROLE" --role-session-name me
        skr cached prompt --timeout 5m --refresh-before 4m --stale-while-refreshing -- ./slow-status
        skr cached --forget sts --key "$ROLE"
        """

    @Argument(help: "The name under which the output is stored.", completion: .names(.cachedNames))
    var name: String

    @Option(
        help: ArgumentHelp(
            "A word that distinguishes this output from others under NAME; may be repeated.", valueName: "arg"))
    var key: [String] = []

    @Option(
        name: .joinable("t"),
        help: ArgumentHelp(
            "How long the output is kept: 90s, 15m, 8h, 2d or 1h30m; never means until the session ends.",
            valueName: "duration|never"))
    var timeout: TimeoutArgument?

    @Option(
        help: ArgumentHelp("The field of the output that has its lifetime, such as .expires_in.", valueName: "path"))
    var timeoutFromJson: String?

    @Option(help: ArgumentHelp("Run CMD again this long before the output expires.", valueName: "duration"))
    var refreshBefore: DurationArgument?

    @Flag(help: "With --refresh-before, print the old output and run CMD in the background.")
    var staleWhileRefreshing = false

    @Option(help: ArgumentHelp("How long a failure is kept; by default, not at all.", valueName: "duration"))
    var cacheFailures: DurationArgument?

    @Flag(help: "Run CMD in any case, and replace the stored output.")
    var force = false

    @Flag(help: "Delete the stored output and run nothing (exit code 1 if nothing was stored).")
    var forget = false

    @OptionGroup var options: PlaceOptions

    @OptionGroup var launched: LaunchedCommand

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction {
        let item = ItemIdentity.cached(name, variant: CachedVariant.text(of: key))
        guard !forget else {
            guard command.count == 0, !force else {
                throw .usage(
                    "--forget can't be used with --force or a command",
                    hint: "leave out --force, and the command after '--'")
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
