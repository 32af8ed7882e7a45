package import ArgumentParser
import FoundationEssentials
import Keyutils

/// A command and its verbs, as the argument parser defines them.
///
/// The parser exposes its definitions only as JSON. Completions and manual pages are generated from them, so that each
/// verb is listed in one place.
package struct CommandDefinition: Decodable {
    package let commandName: String
    let shouldDisplay: Bool
    package let abstract: String?
    package let discussion: String?
    private let arguments: [ArgumentDefinition]?
    private var subcommands: [CommandDefinition]?

    /// Reads the definitions of a command and of its verbs.
    ///
    /// To read a single verb takes much less time than to read the command with all its verbs.
    ///
    /// - Parameter isVerb: whether the command is a verb of another command, and so has no verb `help`.
    package init(of command: any ParsableCommand.Type, isVerb: Bool = false) throws(CommandError) {
        do {
            self = try JSONDecoder().decode(Tool.self, from: Data(command._dumpHelp().utf8)).command
        } catch {
            throw CommandError(
                exitCode: .internalError, message: "the program can't read its own option definitions",
                hint: "build it with the release of swift-argument-parser that Package.swift names")
        }
        // The parser lists `help` among the verbs of the command whose definitions it is asked for.
        if isVerb { subcommands?.removeAll { $0.commandName == "help" } }
    }

    /// The verbs that help shows.
    package var verbs: [CommandDefinition] { (subcommands ?? []).filter(\.shouldDisplay) }

    /// The verbs that have a manual page: all except `help`, which the argument parser adds to the command that it is
    /// asked for.
    var documentedVerbs: [CommandDefinition] { verbs.filter { $0.commandName != "help" } }

    /// Returns the verb of that name, even if it is hidden.
    package func verb(named name: String) -> CommandDefinition? {
        subcommands?.first { $0.commandName == name }
    }

    package var positionals: [ArgumentDefinition] { shown.filter { $0.kind == .positional && !$0.isLaunched } }
    /// The options, without the `--version` that the parser adds to every verb.
    package var options: [ArgumentDefinition] {
        shown.filter { $0.kind != .positional && ($0.spelling != "--version" || verb(named: "help") != nil) }
    }
    /// The words after `--`, for verbs that launch a command.
    package var launched: ArgumentDefinition? { shown.first(where: \.isLaunched) }

    package func option(named name: Substring) -> ArgumentDefinition? {
        (arguments ?? []).first { argument in argument.spellings.contains { $0 == name } }
    }

    private var shown: [ArgumentDefinition] { (arguments ?? []).filter(\.shouldDisplay) }

    private struct Tool: Decodable {
        let command: CommandDefinition
    }
}
