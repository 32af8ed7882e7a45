import ArgumentParser
import CommandSupport

struct LockCommand: LaunchingVerb {
    static let requiresCommand = true

    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Run a command while holding a lock.",
        discussion: """
            If several of your processes call 'skr lock' with the same NAME and namespace, in any login, they run \
            their CMDs one at a time. The scope is 'user' unless --scope or SKR_SCOPE names another one. The exit \
            code is CMD's, and signals go to CMD.

            skr releases the lock when CMD ends, even if a signal ends it. If skr is killed, CMD is killed too, but \
            not the programs that CMD has started, and others get the lock after --timeout.

            Exit code 75 means one of two things. Another process held the lock for all of --wait: the error names \
            that process, and for how long it has held the lock. Or CMD succeeded, but skr was stopped for longer \
            than --timeout and lost the lock.

            SKR_FENCING_NUMBER is set for CMD to a number greater than that of every earlier holder since the \
            machine started. If CMD sends it to another system, that system can refuse smaller numbers: they come \
            from holders that lost the lock.
            """
    )

    static let examples = """
        skr lock deploy -- ./deploy
        skr lock --wait 0 nightly -- ./backup || echo 'it runs already'
        """

    @Argument(help: "The name of the lock.")
    var name: String

    @Option(
        name: .joinable("t"),
        help: ArgumentHelp("How soon others get the lock after its holder was killed.", valueName: "duration"))
    var timeout = DurationArgument(seconds: 30)

    @Option(help: ArgumentHelp("How long to wait for the lock, 0 to try once.", valueName: "duration"))
    var wait = DurationArgument(seconds: 10)

    @OptionGroup var options: PlaceOptions

    @OptionGroup var launched: LaunchedCommand

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction {
        try command.requireCommand("skr lock NAME -- CMD")
        guard !name.isEmpty else {
            throw .usage("the lock's name is empty", hint: "choose a name, as in 'skr lock deploy -- CMD'")
        }
        guard timeout.duration > .zero, timeout.duration <= .seconds(3_600) else {
            throw .usage(
                "--timeout must be 1s to 1h, not \(timeout.defaultValueDescription)",
                hint: "write, for example, --timeout 30s; it counts only if skr is killed or stopped")
        }
        return LockAction(options: self, place: try options.place(usually: .user), command: command)
    }
}
