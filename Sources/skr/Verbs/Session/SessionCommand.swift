import CommandSupport
import ArgumentParser

struct SessionCommand: LaunchingCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Run a command in a session keyring of its own.",
        discussion: """
            skr becomes CMD, or your shell ($SHELL), in a new session keyring: same process, same terminal, same \
            signals, and its exit code. It does not see what the session around it has stored, and what it stores is \
            gone when its last process ends. That also mends a tmux that has outlived its login, whose keyring was \
            revoked.

            --name joins the session of that name, and makes it where there is none. It hides nothing from your other \
            sessions: each of your processes can join it by its name.
            """
    )

    static let examples = """
        skr session
        skr session -- ./untrusted-build
        skr session --name work -- bash
        """

    @Option(help: "Join the session of that name, or make it.")
    var name: String?

    @Flag(help: "Link the user keyring into it, as a login does.")
    var linkUser = false

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "CMD"))
    var command: [String] = []

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction {
        try SessionAction(name: name, linksUser: linkUser, command: command)
    }
}
