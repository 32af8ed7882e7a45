import ArgumentParser
import CommandSupport

struct ExecCommand: LaunchingVerb {
    static let requiresCommand = true

    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a command with secrets in its environment.",
        discussion: """
            skr becomes CMD, which it finds in PATH: same process, terminal, signals and exit code. All words after \
            '--' belong to CMD. If skr can't get a secret, CMD doesn't start, and the error names all such secrets.

            A reference is skr://SERVICE[/ACCOUNT][?field=PATH], with each part percent-encoded. Without ACCOUNT, it \
            means the item that has no account, or else the only account of the service.

            If a variable is set more than once, --env and --file win over --env-file, and a later value wins over \
            an earlier one. All three win over the inherited environment.

            --env VAR, without a value, resolves the reference that VAR already holds. --inherited does this for all \
            variables whose whole value is a reference. All other inherited variables stay unchanged.

            Other people can set variables too, such as the client of a web server or the user of an ssh login. With \
            --inherited, they could choose which secret CMD gets: in such a place, name each variable with --env.

            Your other processes can read an environment (/proc/PID/environ), and all programs that CMD starts \
            inherit it. --file sets VAR to the path of a file in memory instead (/proc/self/fd/N). Nobody can change \
            the file, and it is gone with the last process that has it open.

            CMD has the same session keyring as skr; skr never creates one. If CMD then becomes another user, as a \
            container's entry point does, it keeps that keyring and the secrets in its environment. It can't open \
            the path of a --file any more.

            ENV FILES: a line is NAME=value or 'export NAME=value'; blank lines and lines that begin with '#' are \
            skipped. A value that begins with skr: must be a reference; all others are passed on unchanged, and skr \
            expands no '$'. A quoted value ends on its line.

            Without quotes, a value is the rest of the line, without the blanks around it and without a comment (a \
            '#' after a blank). In single quotes, every character stands for itself. In double quotes, \\n \\r \\t \
            \\" \\\\ \\$ stand for one character each.
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
        name: .shortAndLong,
        help: ArgumentHelp("Set a variable to a secret; may be repeated.", valueName: "VAR[=skr://...]"),
        completion: .names(.assignments))
    var env: [String] = []

    @Option(
        help: ArgumentHelp("Set the variables in an env file (see above); may be repeated.", valueName: "file"),
        completion: .file())
    var envFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "Set a variable to the path of a file in memory that has the secret; may be repeated.",
            valueName: "VAR=skr://..."),
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
