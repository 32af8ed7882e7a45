import CommandSupport

/// `skr` itself, with the list of its verbs.
struct RootVerb: Verb {
    static let name = "skr"
    static let versionNumber = "0.1.0"
    static let version = "skr \(versionNumber)"
    static let summary = "Keep the secrets of a login session in the Linux kernel keyring."
    static let details = """
        No file, no daemon: secrets vanish at their timeout or with the session, and other sessions can't read them. \
        skr reads a secret from standard input or asks for it; it never takes one from the command line.
        """

    static let examples = """
        printf %s "$TOKEN" | skr set api --timeout 8h
        skr get api
        skr exec --env TOKEN=skr://api -- ./deploy
        skr cached token --timeout 15m -- vault print token
        skr list
        """

    static func verbs(_ visit: (any Verb.Type) -> Bool) -> Bool {
        visit(GetVerb.self)
            || visit(SetVerb.self)
            || visit(ListVerb.self)
            || visit(ExpireVerb.self)
            || visit(DeleteVerb.self)
            || visit(ClearVerb.self)
            || visit(ExecVerb.self)
            || visit(InjectVerb.self)
            || visit(EnvVerb.self)
            || visit(SessionVerb.self)
            || visit(CachedVerb.self)
            || visit(SourceVerb.self)
            || visit(LoginVerb.self)
            || visit(LogoutVerb.self)
            || visit(LockVerb.self)
            || visit(HelperVerb.self)
            || visit(DoctorVerb.self)
            || visit(CompletionsVerb.self)
            || visit(ManualVerb.self)
            || visit(VersionVerb.self)
    }

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
          login, logout   log in with OAuth, and always have a valid token
          session         start a session, or join one by its name
          doctor          check what this login provides, and how to fix it
          completions     complete names in your shell

        'skr help VERB' shows the options of a verb, with examples; more: man skr

        """

    private let isVersion: Bool

    init(_ words: inout CommandWords) { isVersion = words.flag("--version", "Show the version.") }

    func run() throws {
        try Console.write(isVersion ? "\(Self.version)\n" : HelpText.of(VerbCall(Self.self, names: [Self.name])))
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

    /// Returns the error for a word that is not a verb.
    static func unknownVerb(_ word: String) -> CommandError? {
        if ["secrets", "stress"].contains(word) {
            return .usage("'skr \(word)' is a separate command", hint: "use skr-\(word)")
        }
        if let hint = LikelyMistake.hint(forVerb: word) {
            return .usage("no such verb: \(Display.plain(word))", hint: hint)
        }
        let nearest = verb(otherwiseNamed: word) ?? NearestName.to(word, among: verbNames)
        return .usage(
            "no such verb: \(Display.plain(word))",
            hint: nearest.map { "did you mean '\($0)'? 'skr help' lists the verbs" } ?? "'skr help' lists the verbs")
    }

    /// The names of all verbs, including hidden ones.
    private static var verbNames: [String] {
        var names: [String] = []
        _ = verbs { verb in
            names.append(verb.name)
            return false
        }
        return names + ["help"]
    }
}
