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
    func action() throws(CommandError) -> any VerbAction
}

extension VerbCommand where Self: VerbAction {
    func action() -> any VerbAction { self }
}

/// The options of a verb that may launch a command.
protocol LaunchingVerb: ExampleCommand {
    /// - Parameter command: what follows behind `--`, whose words nobody parses.
    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction
}

/// The command behind `--`, as help shows it.
struct LaunchedCommand: ParsableArguments {
    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "CMD"))
    var words: [String] = []
}

extension CommandLineWords {
    /// - Parameter form: how to call the verb.
    func requireCommand(_ form: String) throws(CommandError) {
        guard count > 0 else { throw .usage("no command to run", hint: "write it behind '--': \(form)") }
    }
}
