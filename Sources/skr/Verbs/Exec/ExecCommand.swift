import ArgumentParser
import CommandSupport

struct ExecCommand: LaunchingVerb {
    static let requiresCommand = true

    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a command with secrets in its environment.",
        discussion: """
            skr becomes CMD, looked up in PATH: same process, same terminal, same signals, and its exit code. All that \
            is behind '--' belongs to CMD. If a secret can't be had, CMD is not started, and all that are missing are \
            named.

            A reference is skr://SERVICE[/ACCOUNT][?field=PATH], each part percent-encoded. Without ACCOUNT it is the \
            item that has none, else the only account of the service. --env wins over --env-file, later wins over \
            earlier, and both win over what is in the environment.

            --env VAR, without a value, resolves the reference that VAR holds already; --inherited does that for all \
            variables whose whole value is a reference. Other people can fill an environment too, such as the client of \
            a web server or the user of an ssh login: with --inherited they choose which secret CMD gets, so name the \
            variables there. Without these options every variable stays as it is.

            An environment is readable for the user's other processes (/proc/PID/environ) and is inherited by all that \
            CMD starts. --file hands over a path instead, /proc/self/fd/N, of a file in memory that can't be changed \
            and is gone with the last process that has it.

            CMD has the session keyring that skr was given, and none where there was none: a CMD that becomes another \
            user, as an entry point of a container does, takes along what it was handed and nothing else. (Another \
            user can't open the path of a --file.)

            ENV FILES: lines NAME=value or 'export NAME=value'; blank lines and those that begin with '#' are skipped. \
            Without quotes a value is the rest of the line, less the blanks around it and a comment (a '#' behind a \
            blank). In single quotes all is as it stands; in double quotes \\n \\r \\t \\" \\\\ \\$ are one character \
            each. Nothing is expanded, and a quoted value ends on its line. A value that begins with skr:// is a \
            reference; all others are passed on as they are.
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
        help: ArgumentHelp("A variable that gets a secret; may be repeated.", valueName: "VAR[=skr://...]"),
        completion: .names(.assignments))
    var env: [String] = []

    @Option(
        help: ArgumentHelp("Variables and references from a file; may be repeated.", valueName: "file"),
        completion: .file())
    var envFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "A variable that holds the path of a file in memory; may be repeated.", valueName: "VAR=skr://..."),
        completion: .names(.assignments))
    var file: [String] = []

    @Flag(help: "Resolve all references that the environment holds already.")
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
