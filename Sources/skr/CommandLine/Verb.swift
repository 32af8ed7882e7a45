import ArgumentParser
import CommandSupport

/// The work of a verb, created from a plain call or by the argument parser.
package protocol VerbAction {
    func run() throws
}

extension VerbAction {
    /// Runs the action and converts its errors to `CommandError`.
    func perform() throws(CommandError) {
        try CommandError.translating(run)
    }
}

/// The options of a verb.
protocol VerbCommand: ExampleCommand {
    func action() throws(CommandError) -> any VerbAction
}

extension VerbCommand where Self: VerbAction {
    func action() -> any VerbAction { self }
}

/// The options of a verb that can launch a command.
protocol LaunchingVerb: ExampleCommand {
    /// Whether the verb also has forms without a command.
    static var isCommandOptional: Bool { get }

    /// - Parameter command: the words after `--`, which nothing parses.
    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction
}

extension LaunchingVerb {
    static var isCommandOptional: Bool { false }
}

/// The command after `--`, as help shows it.
struct LaunchedCommand: ParsableArguments {
    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "CMD"))
    var words: [String] = []
}

extension CommandLineWords {
    /// Throws a usage error if the command is missing.
    ///
    /// - Parameter form: how to call the verb, for the hint.
    func requireCommand(_ form: String) throws(CommandError) {
        guard count > 0 else { throw .usage("no command to run", hint: "write it after '--': \(form)") }
    }
}
