import CommandSupport
import FoundationEssentials

struct ManualVerb: Verb {
    static let name = "manual"
    static let summary = "Print the manual page of skr or of a verb."
    static let isHidden = true

    static let examples = """
        skr manual get | man -l -
        skr manual helper git | man -l -
        """

    private let date: String?
    private let listsPages: Bool
    private let verbs: [String]

    init(_ words: inout CommandWords) {
        date = words.option(
            "--date", value: "DATE", "The date of the page, in the form 'November 21, 2026'; today if left out.")
        listsPages = words.flag("--list", "List the pages instead: one line per page, with its verbs.")
        verbs = words.words("VERB", "The verb, and for helper its client; skr itself if left out.")
    }

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
        let root = VerbCall(RootVerb.self, names: [RootVerb.name])
        if listsPages { return try Console.write(Self.pages(of: root).map { "\($0)\n" }.joined()) }
        let call = VerbCall(of: RootVerb.self) { verbs.indices.contains($0) ? verbs[$0] : nil }
        if call.depth < verbs.count {
            let word = verbs[call.depth]
            throw call.verb.unknownVerb(word)
                ?? .usage("unexpected word \(Display.quoted(word))", hint: "'skr manual --list' lists the pages")
        }
        let path = (0...call.depth).map { depth in
            VerbCall(of: RootVerb.self) { $0 < depth ? verbs[$0] : nil }
        }
        var more = ManualPage.Surroundings()
        let isRoot = call.depth == 0
        let launches = isRoot || call.arguments.contains { $0.kind == .command }
        more.exitCodes = ExitCode.allCases.filter { launches || !$0.isOfLaunching }.map {
            ("\($0.rawValue)", $0.meaning)
        }
        if launches { more.exitCodes.append(("other", "the exit code of CMD, or 128+N for a signal")) }
        more.variables = isRoot ? Self.defaults + Self.otherVariables : []
        more.related = isRoot || call.names[1] == SessionVerb.name ? ["skr-secrets"] : []
        more.guides = Guide.allCases.map { ($0.rawValue, $0.subject) }
        more.listsGuides = isRoot
        let page = ManualPage(of: path, version: RootVerb.version, date: date ?? Self.today, more)
        try Console.write(page.text)
    }

    /// The variables that are the default of an option of several verbs.
    private static let defaults = [
        ("SKR_SCOPE", "The default of --scope."), ("SKR_NAMESPACE", "The default of --namespace."),
        ("SKR_TIMEOUT", "The default of --timeout, for verbs that store a secret."),
    ]

    /// The variables that are not the default of an option; the pages of clients name the client's own variables.
    private static let otherVariables = [
        ("SKR_SOURCES", "The absolute path of the sources file; none turns sources off."),
        ("SKR_ASKPASS", "The item, SERVICE or SERVICE/ACCOUNT, that helper askpass prints."),
        ("SKR_SESSION", "Set by session for CMD: the name of the session, or the number of its keyring."),
        ("SKR_FENCING_NUMBER", "Set by lock for CMD: a number greater than that of each earlier holder."),
        (
            "SKR_FETCHING",
            "Set for a command whose output is wanted: the items that are being fetched. Leave it unchanged."
        ),
        ("XDG_CONFIG_HOME , HOME", "The folders of the sources file and of the clients' files."),
        ("DBUS_SESSION_BUS_ADDRESS", "The bus on which doctor looks for a Secret Service; session --secrets sets it."),
        ("PATH", "The folders in which skr finds CMD and the clients."),
        ("SHELL", "The command of session if CMD is left out."),
        ("NO_COLOR , TERM", "If NO_COLOR is not empty or TERM is dumb, output on a terminal has no colours."),
        ("COLUMNS", "The width of help if standard output is not a terminal."),
    ]

    /// Returns the words after `skr manual` for each page.
    private static func pages(of call: VerbCall) -> [String] {
        [call.names.dropFirst().joined(separator: " ")] + call.verbs.flatMap(pages)
    }
}
