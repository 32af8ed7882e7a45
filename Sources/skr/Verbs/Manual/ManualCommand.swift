import ArgumentParser
import CommandSupport
import FoundationEssentials

struct ManualCommand: VerbCommand, VerbAction {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page of skr or of a verb.",
        // For packagers; everybody else uses `skr help`.
        shouldDisplay: false
    )

    static let examples = """
        skr manual get | man -l -
        skr manual helper git | man -l -
        """

    @Argument(help: "The verb, and for helper its client; skr itself if left out.")
    var verbs: [String] = []

    @Option(help: "The date of the page, in the form 'November 21, 2026'; today if left out.")
    var date: String?

    @Flag(help: "List the pages instead: one line per page, with its verbs.")
    var list = false

    /// Today's date in the only form that all formatters accept.
    private static var today: String {
        let parts = Date.ISO8601FormatStyle().year().month().day().format(.now).split(separator: "-").compactMap {
            Int($0)
        }
        let months = [
            "January", "February", "March", "April", "May", "June",
            "July", "August", "September", "October", "November", "December",
        ]
        return "\(months[parts[1] - 1]) \(parts[2]), \(parts[0])"
    }

    func run() throws {
        if list { return try Console.write(Self.pages(of: RootCommand.self).map { "\($0)\n" }.joined()) }
        let verbs = RootCommand.asDefined(verbs)
        let verb = RootCommand.verb(named: verbs)
        if let word = verbs.dropFirst(verb.names.count).first {
            throw verb.names == [HelperCommand.name] ? HelperClients.unknown(word) : RootCommand.unknownVerb(word)
        }
        var launches = verbs.isEmpty || verb.command is any LaunchingVerb.Type
        if let client = verb.command as? any HelperClient.Type, case .options(_, _, .command) = client.words {
            launches = true
        }
        var codes = ExitCode.allCases.filter { launches || !$0.isOfLaunching }.map { ("\($0.rawValue)", $0.meaning) }
        if launches { codes.append(("other", "the exit code of CMD, or 128+N for a signal")) }
        let stores = [SetCommand.configuration.commandName, CachedCommand.configuration.commandName]
        let isStoring = verbs.isEmpty || stores.contains { $0 == verbs[0] } || verb.command is any HelperClient.Type
        let variables = PlaceOptions.variables + (isStoring ? [TimeoutArgument.variable] : [])
        let isAboutSessions = verbs.isEmpty || verbs[0] == "session"
        let page = try ManualPage(
            of: RootCommand.self, verbs: verbs, date: date ?? Self.today, variables: variables,
            otherVariables: verbs.isEmpty ? Self.otherVariables : [], exitCodes: codes,
            related: isAboutSessions ? ["skr-secrets"] : [], guides: Guide.allCases.map(\.rawValue),
            subjects: verbs.isEmpty ? Guide.allCases.map(\.subject) : [])
        try Console.write(page.text)
    }

    /// The variables that are not the default of an option; the pages of clients name the client's own variables.
    private static let otherVariables = [
        ("SKR_SOURCES", "The absolute path of the sources file; none turns sources off."),
        ("SKR_ASKPASS", "The item, SERVICE or SERVICE/ACCOUNT, that helper askpass prints."),
        ("SKR_SESSION", "Set by session for CMD: the name of the session, or the number of its keyring."),
        ("SKR_FENCING_NUMBER", "Set by lock for CMD: a number greater than that of each earlier holder."),
        ("SKR_SOURCE_CHAIN", "Set for a source's command: the items that are being fetched. Leave it unchanged."),
        ("XDG_CONFIG_HOME , HOME", "The folders of the sources file and of the clients' files."),
        ("DBUS_SESSION_BUS_ADDRESS", "The bus on which doctor looks for a Secret Service; session --secrets sets it."),
        ("PATH", "The folders in which skr finds CMD and the clients."),
        ("SHELL", "The command of session if CMD is left out."),
        ("NO_COLOR , TERM", "If NO_COLOR is not empty or TERM is dumb, output on a terminal has no colours."),
        ("COLUMNS", "The width of help if standard output is not a terminal."),
    ]

    /// Returns the words after `skr manual` for each page.
    private static func pages(of command: any ParsableCommand.Type, _ verbs: [String] = []) -> [String] {
        let shown = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        return [verbs.joined(separator: " ")]
            + shown.flatMap { pages(of: $0, verbs + [$0.configuration.commandName ?? ""]) }
    }
}
