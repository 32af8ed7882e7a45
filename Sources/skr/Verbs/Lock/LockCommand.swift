import ArgumentParser
import CommandSupport

struct LockCommand: LaunchingVerb {
    static let requiresCommand = true

    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Run a command while holding a lock.",
        discussion: """
            Of all the user's processes that run 'skr lock' with the same NAME and namespace, one at a time runs its \
            CMD, whichever login they are of: the scope is 'user' unless --scope or SKR_SCOPE says otherwise. The lock \
            is kept for as long as CMD runs, and released when it ends, also by a signal. A holder that is killed \
            loses it after --timeout, and its CMD is killed with it (what CMD has started is not). The exit code is \
            CMD's; signals go to CMD.

            Exit code 75: somebody else held it for all of --wait, and the error says who and for how long; or CMD \
            succeeded, but the lock was lost meanwhile, because skr was stopped for longer than --timeout.

            CMD finds a number in SKR_FENCING_NUMBER that is greater than that of every holder before, until the \
            machine restarts. What CMD writes to can turn away whoever comes late with a smaller one.
            """
    )

    static let examples = """
        skr lock deploy -- ./deploy
        skr lock --wait 0 nightly -- ./backup || echo 'it runs already'
        """

    @Argument(help: "What is locked.")
    var name: String

    @Option(help: ArgumentHelp("How soon others go on after a holder that was killed.", valueName: "duration"))
    var timeout = DurationArgument(seconds: 30)

    @Option(help: ArgumentHelp("How long to wait for others, 0 to try once.", valueName: "duration"))
    var wait = DurationArgument(seconds: 10)

    @OptionGroup var options: PlaceOptions

    @OptionGroup var launched: LaunchedCommand

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction {
        try command.requireCommand("skr lock NAME -- CMD")
        guard !name.isEmpty else { throw .usage("the name is empty", hint: "name what is locked") }
        guard timeout.duration > .zero, timeout.duration <= .seconds(3_600) else {
            throw .usage(
                "--timeout must be more than 0 and at most one hour",
                hint: "the lock is kept for as long as CMD runs; --timeout is for when skr is killed")
        }
        return LockAction(options: self, place: try options.place(usually: .user), command: command)
    }
}
