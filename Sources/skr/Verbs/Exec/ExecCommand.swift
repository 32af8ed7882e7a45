import ArgumentParser
import CommandSupport

struct ExecCommand: LaunchingVerb {
    static let requiresCommand = true

    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a command with secrets in its environment.",
        discussion: """
            skr becomes CMD, found in PATH: same process, terminal, signals and exit code. All words after '--' belong \
            to CMD. If skr can't get a secret, CMD doesn't start, and the error names all such secrets.

            A reference is skr://SERVICE[/ACCOUNT][?field=PATH], with each part percent-encoded. Without ACCOUNT, it \
            means the item that has no account, or else the only account of the service. --env wins over --env-file, a \
            later value wins over an earlier one, and both win over the inherited environment.

            --env VAR, without a value, resolves the reference that VAR already holds; --inherited does this for all \
            variables whose whole value is a reference. Without these options, every inherited variable stays \
            unchanged.

            Other people can set variables too, such as the client of a web server or the user of an ssh login. With \
            --inherited, they choose which secret CMD gets. In such a place, name each variable with --env.

            The user's other processes can read an environment (/proc/PID/environ), and all programs that CMD starts \
            inherit it. --file passes a path instead, /proc/self/fd/N, of a file in memory. The file is sealed, so \
            that it can't be changed, and is gone with the last process that has it open.

            CMD has the same session keyring as skr; skr never adds one. So if CMD becomes another user, as the entry \
            point of a container does, it takes along only that keyring and the secrets that it was given. (The other \
            user can't open the path of a --file.)

            ENV FILES: a line is NAME=value or 'export NAME=value'; blank lines and lines that begin with '#' are \
            skipped. A value that begins with skr:// is a reference; all others are passed on unchanged. Nothing is \
            expanded, and a quoted value ends on its line.

            Without quotes, a value is the rest of the line, without the blanks around it and without a comment (a '#' \
            after a blank). In single quotes, every character stands for itself. In double quotes, \\n \\r \\t \\" \
            \\\\ \\$ stand for one character each.
            """
    )

    static let examples = """
        skr exec --env TOKEN=skr://api -- ./deploy
        skr exec --env PGPASSWORD='skr://db/alice?field=password' -- psql -U alice
        skr exec --env-file .env -- npm start
        export TOKEN=skr://api; skr exec --env TOKEN -- ./deploy
        skr exec --file KEY=skr://tls -- sh -c 'openssl pkey -in "$KEY" -noout'
        """

    @Option(
        help: ArgumentHelp("Set a variable to a secret; may be repeated.", valueName: "VAR[=skr://...]"),
        completion: .names(.assignments))
    var env: [String] = []

    @Option(
        help: ArgumentHelp("Set the variables that a file lists; may be repeated.", valueName: "file"),
        completion: .file())
    var envFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "Set a variable to the path of a file in memory; may be repeated.", valueName: "VAR=skr://..."),
        completion: .names(.assignments))
    var file: [String] = []

    @Flag(help: "Resolve all references in the inherited environment.")
    var inherited = false

    @OptionGroup var options: PlaceOptions

    @OptionGroup var launched: LaunchedCommand

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction {
        let action = ExecAction(
            place: try options.place(),
            variables: try env.map { text throws(CommandError) in try EnvironmentVariable(text, isFile: false) },
            files: try file.map { text throws(CommandError) in try EnvironmentVariable(text, isFile: true) },
            environmentFiles: envFile, resolvesInherited: inherited, command: command)
        try action.check()
        return action
    }
}
