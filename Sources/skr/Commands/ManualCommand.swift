import CommandSupport
import ArgumentParser
import Glibc

struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page of skr or of a verb.",
        discussion: """
            EXAMPLES:
              skr manual get | man -l -
            """,
        // For packagers; everybody else has `skr help`.
        shouldDisplay: false
    )

    @Argument(help: "Which verb; skr itself if left out.")
    var verb: String?

    @Option(help: "The date on it, in the form 'November 21, 2026'; today if left out.")
    var date: String?

    func run() throws {
        let root = try CommandDefinition.root()
        let definition = try verb.map { name throws(CommandError) in
            guard let known = root.verb(named: name) else { throw Skr.unknownVerb(name) }
            return known
        }
        try Console.write(ManualPage(root: root, verb: definition, date: date ?? Self.today()).text)
    }

    private static func today() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        let (year, month, day) = unsafe (1_900 + parts.tm_year, months[Int(parts.tm_mon)], parts.tm_mday)
        return "\(month) \(day), \(year)"
    }
}
