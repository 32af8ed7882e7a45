import CommandSupport
import SessionKeyring

struct CachedVerb: Verb {
    static let name = "cached"
    static let summary = "Print the stored output of a command; run the command if none is stored."
    static let details = """
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

        The output is what was printed until CMD ended; nobody waits for a program that CMD left in the background. \
        --limit ends CMD, with all that it started, if it runs for longer (exit code 75). If CMD asks for its own \
        output, that is an error (exit code 65).

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

    static let examples = """
        skr cached token --timeout 15m -- vault print token
        skr cached sts --key "$ROLE" --timeout-from-json .Credentials.Expiration \\
            -- aws sts assume-role --role-arn "$ROLE" --role-session-name me
        skr cached prompt --timeout 5m --refresh-before 4m --stale-while-refreshing -- ./slow-status
        skr cached --forget sts --key "$ROLE"
        """

    private let keys: [String]
    private let timeout: TimeoutArgument?
    private let lifetimePath: String?
    private let refreshBefore, failureTimeout, limit: Duration?
    private let isStaleWhileRefreshing, isForced, forgets: Bool
    private let options: PlaceOptions
    private let command: CommandLineWords?
    private let output: String

    init(_ words: inout CommandWords) {
        keys = words.options(
            "--key", value: "ARG", "A word that distinguishes this output from others under NAME; may be repeated.")
        timeout = words.timeout(
            "How long the output is kept: 90s, 15m, 8h, 2d or 1h30m; never means until the session ends.",
            variable: TimeoutArgument.variable)
        lifetimePath = words.option(
            "--timeout-from-json", value: "PATH", "The field of the output that has its lifetime, such as .expires_in.")
        refreshBefore = words.duration("--refresh-before", "Run CMD again this long before the output expires.")
        isStaleWhileRefreshing = words.flag(
            "--stale-while-refreshing", "With --refresh-before, print the old output and run CMD in the background.")
        failureTimeout = words.duration("--cache-failures", "How long a failure is kept; by default, not at all.")
        limit = words.limit("How long CMD can run; by default, as long as it wants.")
        isForced = words.flag("--force", "Run CMD in any case, and replace the stored output.")
        forgets = words.flag(
            "--forget", "Delete the stored output and run nothing (exit code 1 if nothing was stored).")
        options = PlaceOptions(&words)
        command = words.command("The command and its arguments.")
        output = words.word("NAME", "The name under which the output is stored.", .cachedNames)
    }

    func run() throws {
        let item = ItemIdentity.cached(output, variant: CachedVariant.text(of: keys))
        guard !forgets else {
            guard command?.count ?? 0 == 0, !isForced else {
                throw CommandError.usage(
                    "--forget can't be used with --force or a command",
                    hint: "leave out --force, and the command after '--'")
            }
            return try forget(item)
        }
        guard let command, command.count > 0 else {
            throw CommandError.usage(
                "no command to run", hint: "write it after '--': skr cached NAME --timeout 15m -- CMD")
        }
        // If the output itself states its lifetime, SKR_TIMEOUT is not needed and not used.
        let timeout = try lifetimePath == nil ? TimeoutArgument.usual(unless: timeout) : timeout
        try check(timeout)
        try OutputRequest(
            place: try options.place(), item: item, timeout: timeout, refreshBefore: refreshBefore,
            isStaleWhileRefreshing: isStaleWhileRefreshing, failureTimeout: failureTimeout, isForced: isForced,
            limit: limit, command: command, policy: policy
        ).run()
    }

    /// The output is printed unchanged, and counts only for the same command line.
    private var policy: OutputPolicy {
        OutputPolicy(
            isUnchanged: true,
            replacementHint: { "to keep both, use --key: skr cached \(Display.name(of: $0)) --key WORD ..." },
            fresh: { [lifetimePath] printed, timeout throws(CommandError) in
                (Output(printed), try OutputLifetime.limit(timeout, by: lifetimePath, of: printed))
            })
    }

    /// Deletes a stored output or failure.
    private func forget(_ item: ItemIdentity) throws {
        let place = try options.place()
        let store = try place.store()
        let hadFailure = try store.delete(item.failure)
        guard try store.delete(item) || hadFailure else {
            throw MissingItem(item: item, isAnyAccount: false, place: place)
                .error(lookingIn: store, hint: MissingItem.listHint)
        }
    }

    /// Checks the options that depend on each other.
    private func check(_ timeout: TimeoutArgument?) throws(CommandError) {
        guard timeout != nil || lifetimePath != nil else {
            throw .usage(
                "cached needs a timeout for the output",
                hint: "pass --timeout 15m or --timeout-from-json .expires_in, or set SKR_TIMEOUT")
        }
        if let failureTimeout, !TimeoutArgument.after(failureTimeout).isPossible {
            throw .usage(
                "--cache-failures must be 1 to 4294967295 seconds", hint: "write it as \(DurationText.forms)")
        }
        try checkRefresh(timeout)
        if let lifetimePath, !OutputLifetime.isPath(lifetimePath) {
            throw .usage(
                "--timeout-from-json: \(Display.quoted(lifetimePath)) is not a list of field names with dots between them",
                hint: "write it as .expires_in or .Credentials.Expiration")
        }
    }

    private func checkRefresh(_ timeout: TimeoutArgument?) throws(CommandError) {
        if isStaleWhileRefreshing, refreshBefore == nil {
            throw .usage(
                "--stale-while-refreshing needs --refresh-before", hint: "add it, for example --refresh-before 2m")
        }
        guard let refreshBefore else { return }
        guard timeout != .never || lifetimePath != nil else {
            throw .usage(
                "--refresh-before can't be used with the timeout 'never'",
                hint: "pass a duration, such as --timeout 15m")
        }
        guard refreshBefore > .zero, timeout?.duration.map({ refreshBefore < $0 }) ?? true else {
            throw .usage(
                "--refresh-before must be more than 0 and less than --timeout or SKR_TIMEOUT",
                hint: "for example --timeout 15m --refresh-before 2m: after 13 minutes, CMD runs again")
        }
    }
}
