import ArgumentParser
import CommandSupport
import Glibc

/// What a verb does, as a plain call or the argument parser has understood it.
package protocol VerbAction {
    /// Whether it may start a command after a look into keyrings.
    static var launchesAfterLookup: Bool { get }

    func run() throws
}

/// What a plain call makes, which a test compares with what the argument parser makes.
package typealias PlainAction = Equatable & VerbAction

extension VerbAction {
    package static var launchesAfterLookup: Bool { false }

    /// Does it, with all errors told as the command tells them.
    func perform() throws(CommandError) {
        guard Self.launchesAfterLookup else { return try CommandError.translating(run) }
        try LookupThread.run { exit(Skr.exitCode { () throws(CommandError) in try CommandError.translating(run) }) }
    }
}

/// A verb's options.
protocol VerbCommand: ExampleCommand {
    /// Whether there may be a command behind `--`, whose words are taken as they are and parsed by nobody.
    static var launches: Bool { get }

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction
}

extension VerbCommand {
    static var launches: Bool { false }
}

extension VerbCommand where Self: VerbAction {
    func action(launching command: CommandLineWords) -> any VerbAction { self }
}
