import CommandSupport

struct ExecVerb: Verb {
    static let name = "exec"
    static let summary = "Run a command with secrets in its environment."
    static let details = """
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

    static let examples = """
        skr exec --env TOKEN=skr://api -- ./deploy
        skr exec --env PGPASSWORD='skr://db/alice?field=password' -- psql -U alice
        skr exec --env-file .env -- npm start
        export TOKEN=skr://api; skr exec --env TOKEN -- ./deploy
        skr exec --file KEY=skr://tls -- sh -c 'openssl pkey -in "$KEY" -noout'
        """

    private let env, files, environmentFiles: [String]
    private let resolvesInherited: Bool
    private let options: PlaceOptions
    private let command: CommandLineWords?

    init(_ words: inout CommandWords) {
        env = words.variables()
        environmentFiles = words.environmentFiles()
        files = words.options(
            "--file", value: "VAR=skr://...",
            "Set a variable to the path of a file in memory that has the secret; may be repeated.", .assignments)
        resolvesInherited = words.flag("--inherited", "Resolve all references in the inherited environment.")
        options = PlaceOptions(&words)
        command = words.command("The command and its arguments.", isRequired: true)
    }

    func run() throws {
        guard let command else { return }
        let environment = SecretEnvironment(
            place: try options.place(), variables: try EnvironmentVariable.parse(env, isFile: false),
            files: try EnvironmentVariable.parse(files, isFile: true), environmentFiles: environmentFiles,
            resolvesInherited: resolvesInherited)
        try environment.check()
        try Launch.become(command, environment: environment.block())
    }
}

/// The options that `exec` and `env` share.
extension CommandWords {
    mutating func variables() -> [String] {
        options(
            "--env", "-e", value: "VAR[=skr://...]", "Set a variable to a secret; may be repeated.", .assignments)
    }

    mutating func environmentFiles() -> [String] {
        options(
            "--env-file", value: "FILE",
            "Set the variables in an env file, which 'skr help exec' describes; may be repeated.", .files)
    }
}
