import ArgumentParser
import CommandSupport

struct VersionCommand: VerbCommand, VerbAction {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version, as --version does.",
        shouldDisplay: false
    )

    static let examples = """
        skr version
        """

    func run() throws {
        try Console.writeLine(RootCommand.configuration.version)
    }
}
