import ArgumentParser
import CommandSupport
import Glibc

/// What a verb does, made by a plain call or by the argument parser.
package protocol VerbAction {
    /// Whether it may start a command after it has looked into a keyring.
    static var launchesAfterLookup: Bool { get }

    func run() throws
}

extension VerbAction {
    package static var launchesAfterLookup: Bool { false }

    /// Runs the action and turns its errors into the command's.
    func perform() throws(CommandError) {
        guard Self.launchesAfterLookup else { return try CommandError.translating(run) }
        try LookupThread.run { exit(Skr.exitCode { () throws(CommandError) in try CommandError.translating(run) }) }
    }
}

/// A verb's options.
protocol VerbCommand: ExampleCommand {
    /// Whether a command may follow behind `--`, whose words nobody parses.
    static var launches: Bool { get }

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction
}

extension VerbCommand {
    static var launches: Bool { false }
}

extension VerbCommand where Self: VerbAction {
    func action(launching command: CommandLineWords) -> any VerbAction { self }
}
