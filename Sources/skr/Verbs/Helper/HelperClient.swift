import ArgumentParser
import CommandSupport

/// A program that asks a helper for its secrets.
///
/// Its type is a verb of `skr helper` too: help, completion and manual page are made from its arguments. No requirement has a
/// default, so the compiler names what a new client lacks. An instance exists only while help is made: a call reads its words
/// itself (``HelperCall``), as the argument parser's start takes several times as long as an answer.
protocol HelperClient: SendableMetatype {
    /// The word after `skr helper`.
    static var name: String { get }
    /// Other programs that ask in the same way.
    static var aliases: [String] { get }
    /// What the client gets, as one line of a list.
    static var summary: String { get }
    /// What is stored, under which name, and what else its user has to know.
    static var details: String { get }
    /// Whether the client starts its helper by a link, and by which.
    static var start: HelperStart { get }
    /// The options and words of its command line. The argument parser has the same from the type's arguments.
    static var words: HelperWords { get }
    /// Where it shows its user an error.
    static var errors: HelperErrors { get }

    /// What answers this call.
    static func action(for call: HelperCall) throws(CommandError) -> any VerbAction

    /// How a program is configured to use the helper.
    ///
    /// - Parameter program: the client's name, or one of its aliases.
    static func setup(of program: String) -> any ClientSetup

    /// The type itself.
    ///
    /// This protocol doesn't inherit from the argument parser's: the table of such a conformance is made at run time.
    static var verb: any ExampleCommand.Type { get }
}

extension HelperClient where Self: ExampleCommand {
    static var verb: any ExampleCommand.Type { Self.self }

    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: summary,
            discussion: details
                + (aliases.isEmpty ? "" : "\n\nOther names of this client: \(aliases.joined(separator: ", "))."))
    }
}

/// How a client starts its helper.
enum HelperStart {
    /// By the words that its configuration has.
    case commandLine
    /// By a link of this name, which it may look for in PATH; otherwise its configuration has the link's path.
    case link(String, isFoundInPath: Bool, takesOptions: Bool)
    /// By a link for each registry, whose name is this one and the registry's: such a helper is given no words.
    case linkPerRegistry(String)

    /// The name of the link; `nil` if there is none.
    func linkName(registry: String?) -> String? {
        switch self {
        case .commandLine: nil
        case .link(let name, _, _): name
        case .linkPerRegistry(let start): registry.map { start + $0 }
        }
    }

    var isFoundInPath: Bool {
        if case .link(_, isFoundInPath: true, _) = self { true } else { false }
    }

    /// Whether the client's configuration has room for options of the helper.
    var takesOptions: Bool {
        switch self {
        case .commandLine: true
        case .link(_, _, let takesOptions): takesOptions
        case .linkPerRegistry: false
        }
    }
}

/// What the words of a helper's command line are.
enum HelperWords {
    /// What follows `--`.
    enum Behind { case nothing, names, command }

    /// All of them are one text, even those that look like options.
    case text
    /// The usual options and the client's own: some with a value, and flags, which change nothing.
    case options([String], flags: [String], behind: Behind)
}

/// Where a client shows its user an error.
enum HelperErrors {
    case onStandardError
    /// On standard output, and with the exit status 1.
    case onStandardOutput

    /// - Returns: the exit status.
    func report(_ error: CommandError) -> Int32 {
        switch self {
        case .onStandardError:
            Console.report(error)
            return error.exitCode.rawValue
        case .onStandardOutput:
            try? Console.writeLine("skr: " + Display.plain(error.message + (error.hint.map { " (\($0))" } ?? "")))
            return 1
        }
    }
}
