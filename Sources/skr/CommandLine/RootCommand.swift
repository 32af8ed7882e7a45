import CommandSupport
import ArgumentParser

struct RootCommand: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "skr",
        abstract: "Keep the secrets of a login session in the Linux kernel keyring.",
        discussion: """
            No file, no daemon: secrets vanish at their timeout or with the session, and other sessions can't read them. \
            skr reads a secret from standard input or asks for it; it never takes one from the command line.
            """,
        version: "skr \(versionNumber)",
        subcommands: [
            SetCommand.self, GetCommand.self, ListCommand.self, ExpireCommand.self, DeleteCommand.self,
            ClearCommand.self, ExecCommand.self, InjectCommand.self, EnvCommand.self, SessionCommand.self,
            CachedCommand.self, SourceCommand.self, LockCommand.self, HelperCommand.self, DoctorCommand.self,
            CompletionsCommand.self, ManualCommand.self, VersionCommand.self,
        ]
    )

    static let versionNumber = "0.1.0"

    /// The help of the command itself, which fits a terminal of 24 lines with the next prompt.
    static let overview = """
        Keep the secrets of a login session in the Linux kernel keyring.

        SECRETS:
          set, get        store a secret from a pipe or a prompt; print it
          list, expire    show names, sizes and time left; change a timeout
          delete, clear   delete a secret; delete all secrets

        PROGRAMS:
          exec, env       run a command with secrets; print them for a shell
          inject          fill secrets into a template
          helper          let git, docker, aws and others get their secrets
          cached, source  keep a command's output; fetch missing secrets
          lock            run a command that must not run twice at a time

        LOGINS:
          session         start a session, or join one by its name
          doctor          check what this login provides, and how to fix it
          completions     complete names in your shell

        'skr help VERB' shows the options of a verb, with examples; more: man skr

        """

    /// Returns the help of a verb, or of the command itself if no word names a verb.
    static func help(of verb: (command: any ParsableCommand.Type, names: [String])) -> String {
        verb.names.isEmpty
            ? HelpLayout(width: TerminalWidth.ofHelp).text(overview) : helpText(of: verb.command)
    }

    static let examples = """
        printf %s "$TOKEN" | skr set api --timeout 8h
        skr get api
        skr exec --env TOKEN=skr://api -- ./deploy
        skr cached token --timeout 15m -- vault print token
        skr list
        """

    /// Returns whether the verb can launch a command.
    static func launches(_ name: String?) -> Bool {
        name.map { verb(named: [$0]).command } is any LaunchingVerb.Type
    }

    /// Returns whether the verb has no form without a command.
    static func needsCommand(_ name: String) -> Bool {
        (verb(named: [name]).command as? any LaunchingVerb.Type).map { !$0.isCommandOptional } ?? false
    }

    /// Converts the words to forms that the argument parser knows; some verbs accept other forms too.
    static func asDefined(_ words: [String]) -> [String] {
        switch words.first {
        case "help": ["help"] + asDefined(Array(words.dropFirst()))
        case HelperCommand.name: HelperCommand.namingClient(words)
        default: words
        }
    }

    /// Returns the verb that other programs call by this name.
    static func verb(otherwiseNamed word: String) -> String? {
        switch word {
        case "ls": "list"
        case "rm", "remove": "delete"
        case "show", "cat", "print": "get"
        case "put", "store", "save": "set"
        case "add", "new", "create": "set --new"
        case "run": "exec"
        default: nil
        }
    }

    /// The names of all verbs, including hidden ones.
    static var verbs: [String] {
        configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    }

    /// Returns the error for a word that is not a verb.
    static func unknownVerb(_ word: String) -> CommandError {
        if ["secrets", "stress"].contains(word) {
            return .usage("'skr \(word)' is a separate command", hint: "use skr-\(word)")
        }
        if let hint = LikelyMistake.hint(forVerb: word) {
            return .usage("no such verb: \(Display.plain(word))", hint: hint)
        }
        let nearest = verb(otherwiseNamed: word) ?? NearestName.to(word, among: verbs)
        return .usage(
            "no such verb: \(Display.plain(word))",
            hint: nearest.map { "did you mean '\($0)'? 'skr help' lists the verbs" } ?? "'skr help' lists the verbs")
    }
}
