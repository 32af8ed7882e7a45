package import ArgumentParser

/// A command whose help and manual page show examples, as they are written.
package protocol ExampleCommand: ParsableCommand {
    static var examples: String { get }
    /// What help shows behind them, as it is written.
    static var furtherHelp: String { get }
    /// Whether it can't do without the command behind `--`, if it takes one.
    static var requiresCommand: Bool { get }
}

extension ExampleCommand {
    package static var furtherHelp: String { "" }
    package static var requiresCommand: Bool { false }

    /// The argument parser's help of this command or of a verb, at the terminal's width, and the examples.
    package static func helpText(of command: any ParsableCommand.Type) -> String {
        let written = command as? any ExampleCommand.Type
        // The parser takes the command to run for an argument that may be left out, and '--' for one that may not.
        var text = helpMessage(for: command, columns: HelpLayout.unbroken).replacing(
            "-- [<CMD> ...]", with: written?.requiresCommand == true ? "-- CMD ..." : "[-- CMD ...]")
        while text.last == "\n" { text.removeLast() }
        text += "\n"
        if let written {
            let examples = written.examples.split(separator: "\n").map { "  \($0)\n" }.joined()
            text += "\nEXAMPLES:\n\(examples)\(written.furtherHelp)"
        }
        return HelpLayout(width: TerminalWidth.ofHelp).text(text)
    }

    /// The verb that the first of these words names, or as many of them as name a verb of the verb before; hidden ones too.
    ///
    /// - Returns: this command itself and no names, if the first word names no verb.
    package static func verb(named words: some Sequence<String>) -> (command: any ParsableCommand.Type, names: [String])
    {
        var found: (command: any ParsableCommand.Type, names: [String]) = (self, [])
        for word in words {
            guard
                let verb = found.command.configuration.subcommands.first(where: { $0.configuration.commandName == word }
                )
            else { break }
            found = (verb, found.names + [word])
        }
        return found
    }
}
