import ArgumentParser
import CommandSupport
import FoundationEssentials

struct ManualCommand: VerbCommand, VerbAction {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page of skr or of a verb.",
        // For packagers; everybody else has `skr help`.
        shouldDisplay: false
    )

    static let examples = """
        skr manual get | man -l -
        """

    @Argument(help: "Which verb; skr itself if left out.")
    var verb: String?

    @Option(help: "The date on it, in the form 'November 21, 2026'; today if left out.")
    var date: String?

    /// In the only form that all formatters take.
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
        if let verb, RootCommand.verb(named: verb) == nil { throw Skr.unknownVerb(verb) }
        let launches = verb == nil || RootCommand.launches(verb)
        var codes = ExitCode.allCases.filter { launches || !$0.isOfLaunching }.map { ("\($0.rawValue)", $0.meaning) }
        if launches { codes.append(("other", "that of CMD, 128+N for a signal")) }
        let stores = [nil, SetCommand.configuration.commandName, CachedCommand.configuration.commandName]
        let variables = PlaceOptions.variables + (stores.contains(verb) ? [TimeoutArgument.variable] : [])
        let page = try ManualPage(
            of: RootCommand.self, verb: verb, date: date ?? Self.today, variables: variables, exitCodes: codes,
            guides: Guide.allCases.map(\.rawValue))
        try Console.write(page.text)
    }
}
