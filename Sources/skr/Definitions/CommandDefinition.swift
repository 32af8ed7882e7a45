import CommandSupport
import ArgumentParser
import FoundationEssentials

/// A command and its verbs, as the argument parser knows them.
///
/// It tells them in JSON alone, which completions and manual pages are made from, so that no verb is listed twice.
struct CommandDefinition: Decodable {
    let commandName: String
    let shouldDisplay: Bool
    let abstract: String?
    let discussion: String?
    private let arguments: [ArgumentDefinition]?
    private let subcommands: [CommandDefinition]?

    static func root() throws(CommandError) -> CommandDefinition {
        do {
            return try JSONDecoder().decode(Tool.self, from: Data(RootCommand._dumpHelp().utf8)).command
        } catch {
            throw CommandError(
                exitCode: .internalError, message: "the argument parser tells its definitions in another form",
                hint: "build skr with the release of swift-argument-parser that Package.swift names")
        }
    }

    /// The verbs that help shows.
    var verbs: [CommandDefinition] { (subcommands ?? []).filter(\.shouldDisplay) }

    /// A verb, hidden ones too.
    func verb(named name: String) -> CommandDefinition? {
        subcommands?.first { $0.commandName == name }
    }

    var positionals: [ArgumentDefinition] { shown.filter { $0.kind == .positional && !$0.isLaunched } }
    /// Without `--version`, which the parser gives every verb; it is skr's.
    var options: [ArgumentDefinition] {
        shown.filter { $0.kind != .positional && ($0.spelling != "--version" || commandName == "skr") }
    }
    /// The words behind `--`, of verbs that launch a command.
    var launched: ArgumentDefinition? { shown.first(where: \.isLaunched) }

    func option(named name: Substring) -> ArgumentDefinition? {
        (arguments ?? []).first { argument in argument.spellings.contains { $0 == name } }
    }

    private var shown: [ArgumentDefinition] { (arguments ?? []).filter(\.shouldDisplay) }

    private struct Tool: Decodable {
        let command: CommandDefinition
    }
}
