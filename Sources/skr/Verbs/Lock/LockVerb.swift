import CommandSupport

struct LockVerb: Verb {
    static let name = "lock"
    static let summary = "Run a command while holding a lock."
    static let details = """
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

    static let examples = """
        skr lock deploy -- ./deploy
        skr lock --wait 0 nightly -- ./backup || echo 'it runs already'
        """

    private let timeout, wait: Duration
    private let options: PlaceOptions
    private let command: CommandLineWords?
    private let lock: String

    init(_ words: inout CommandWords) {
        timeout =
            words.duration(
                "--timeout", short: "-t", "How soon others get the lock after its holder was killed. By default 30s.")
            ?? .seconds(30)
        wait =
            words.duration("--wait", "How long to wait for the lock, 0 to try once. By default 10s.") ?? .seconds(10)
        options = PlaceOptions(&words)
        command = words.command("The command and its arguments.", isRequired: true)
        lock = words.word("NAME", "The name of the lock.")
    }

    func run() throws {
        guard let command else { return }
        guard !lock.isEmpty else {
            throw CommandError.usage("the lock's name is empty", hint: "choose a name, as in 'skr lock deploy -- CMD'")
        }
        guard timeout > .zero, timeout <= .seconds(3_600) else {
            throw CommandError.usage(
                "--timeout must be 1s to 1h, not \(timeout.components.seconds)s",
                hint: "write, for example, --timeout 30s; it counts only if skr is killed or stopped")
        }
        try LockAction(
            name: lock, timeout: timeout, limit: wait, place: options.place(usually: .user), command: command
        ).run()
    }
}
