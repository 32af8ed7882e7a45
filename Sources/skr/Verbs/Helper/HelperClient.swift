import ArgumentParser
import CommandSupport

/// A program that asks a helper for its secrets.
///
/// A client's type is also a verb of `skr helper`: its arguments define help, completion and the manual page. Only
/// `aliases` and `verb` have defaults, so the compiler names everything else that a new client lacks.
///
/// An instance exists only while help is being created. A call reads its words itself (``HelperCall``), because the
/// argument parser's start takes several times as long as an answer.
protocol HelperClient: SendableMetatype {
    /// The word after `skr helper`.
    static var name: String { get }
    /// The names of other programs that ask in the same way; by default, none.
    static var aliases: [String] { get }
    /// The secrets that the client gets, as one line of a list.
    static var summary: String { get }
    /// The stored items, their names, and everything else that the user has to know.
    static var details: String { get }
    /// How the client starts its helper, and the name of the link if it uses one.
    static var start: HelperStart { get }
    /// The options and words of its command line.
    ///
    /// The type's arguments describe the same options and words for the argument parser.
    static var words: HelperWords { get }
    /// Where the client shows its user an error.
    static var errors: HelperErrors { get }
    /// The first word of a call that wants a secret; `nil` if each call wants one.
    static var readingWord: String? { get }

    /// Returns the action that answers this call.
    static func action(for call: HelperCall) throws(CommandError) -> any VerbAction

    /// Returns the setup that makes a program use the helper.
    ///
    /// - Parameter program: the client's name or one of its aliases.
    static func setup(of program: String) -> any ClientSetup

    /// The type itself.
    ///
    /// This protocol doesn't inherit from the argument parser's protocol, because the table of such a conformance is
    /// created at run time.
    static var verb: any ExampleCommand.Type { get }
}

extension HelperClient {
    static var aliases: [String] { [] }
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

/// The way in which a client starts its helper.
enum HelperStart {
    /// By a command line in the client's configuration.
    case commandLine
    /// By a link with this name, which the client finds in PATH or by the path in its configuration.
    case link(String, isFoundInPath: Bool, takesOptions: Bool)
    /// By a link for each registry, named with this prefix and the registry; such a helper gets no words.
    case linkPerRegistry(String)

    /// Returns the name of the link; `nil` if there isn't one.
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

    /// Whether the client's configuration can contain options for the helper.
    var takesOptions: Bool {
        switch self {
        case .commandLine: true
        case .link(_, _, let takesOptions): takesOptions
        case .linkPerRegistry: false
        }
    }
}

/// The meaning of the words on a helper's command line.
enum HelperWords {
    /// The meaning of the words after `--`.
    enum Behind { case nothing, names, command }

    /// All words are one text, even those that look like options.
    case text
    /// The usual options and the client's own: options with a value, and flags, which change nothing.
    case options([String], flags: [String], behind: Behind)
}

/// The place where a client shows its user an error.
enum HelperErrors {
    case onStandardError
    /// On standard error, which the client reads as a part of the answer. So a helper that succeeds prints no warning.
    case mixedWithAnswer
    /// On standard output, with the exit status 1.
    case onStandardOutput

    /// Reports the error where the client shows it.
    ///
    /// - Returns: the exit status.
    func report(_ error: CommandError) -> Int32 {
        switch self {
        case .onStandardError, .mixedWithAnswer:
            Console.report(error)
            return error.exitCode.rawValue
        case .onStandardOutput:
            try? Console.writeLine("skr: " + Display.plain(error.message + (error.hint.map { " (\($0))" } ?? "")))
            return 1
        }
    }
}
