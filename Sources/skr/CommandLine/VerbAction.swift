import ArgumentParser
import CommandSupport
import Glibc

/// What a verb does, as the argument parser or a plain call has understood it.
package protocol VerbAction: Equatable {
    /// Whether it may start a command after a look into keyrings.
    static var launchesAfterLookup: Bool { get }

    func run() throws
}

extension VerbAction {
    package static var launchesAfterLookup: Bool { false }

    /// Does it, with all errors told as the command tells them.
    func perform() throws(CommandError) {
        guard Self.launchesAfterLookup else { return try CommandError.translating(run) }
        try LookupThread.run { exit(Skr.exitCode { () throws(CommandError) in try CommandError.translating(run) }) }
    }
}

/// A verb: options that make an action.
protocol VerbCommand: ExampleCommand {
    func action() throws(CommandError) -> any VerbAction
}

/// A verb with a command behind `--`, whose words are taken as they are and parsed by nobody.
protocol LaunchingCommand: ExampleCommand {
    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction
}
