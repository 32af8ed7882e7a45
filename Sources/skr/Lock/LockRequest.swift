import CommandSupport

/// What `skr lock` is asked for.
package struct LockRequest: Equatable {
    let place: Place
    let name: String
    /// How soon others may go on after a holder that died.
    let timeout: Duration
    /// How long to wait for others.
    let patience: Duration
    let command: CommandLineWords

    init(
        place: Place,
        name: String,
        timeout: Duration,
        patience: Duration,
        command: CommandLineWords
    ) throws(CommandError) {
        guard command.count > 0 else {
            throw .usage("no command to run", hint: "write it behind '--': skr lock NAME -- CMD")
        }
        guard !name.isEmpty else { throw .usage("the name is empty", hint: "name what is locked") }
        guard timeout > .zero, timeout <= .seconds(3_600) else {
            throw .usage(
                "--timeout must be more than 0 and at most one hour",
                hint: "the lock is kept for as long as CMD runs; --timeout is for when skr is killed")
        }
        self.place = place
        self.name = name
        self.timeout = timeout
        self.patience = patience
        self.command = command
    }
}
