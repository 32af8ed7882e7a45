import ArgumentParser
import CommandSupport

struct SessionCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Run a command in a session keyring of its own.",
        discussion: """
            skr becomes CMD, or your shell ($SHELL), in a new session keyring: same process, same terminal, same \
            signals, and its exit code. It does not see what the session around it has stored, and what it stores is \
            gone when its last process ends. A tmux that has outlived its login, whose keyring was revoked, \
            works again in it.

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

    static let launches = true

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction {
        if let name { try Self.check(name) }
        return SessionAction(name: name, linksUser: linkUser, command: command.count > 0 ? command : .shell())
    }

    private static func check(_ name: String) throws(CommandError) {
        let limit = 255
        guard !name.isEmpty, name.utf8.count <= limit else {
            throw .usage("a session's name has 1 to \(limit) bytes", hint: "choose another name")
        }
        // The kernel's own keyrings, and the store's, which must not become a session by mistake.
        for prefix in [".", "_", "skr:", "skr-leases", "skr-making:"] where name.hasPrefix(prefix) {
            throw .usage("names that begin with '\(prefix)' are taken", hint: "choose another name")
        }
        // It would stand in /proc/keys for everybody to stumble over.
        guard Display.plain(name) == name, !name.utf8.contains(UInt8(ascii: " ")) else {
            throw .usage("a session's name has no white space and no control characters", hint: "choose another name")
        }
    }
}
