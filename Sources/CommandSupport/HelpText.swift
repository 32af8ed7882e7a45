package import ArgumentParser
import Keyutils

/// A command whose help and manual page show examples.
package protocol ExampleCommand: ParsableCommand {
    static var examples: String { get }
    /// Whether the command after `--` is required, if this verb takes one.
    static var requiresCommand: Bool { get }
}

extension ExampleCommand {
    package static var requiresCommand: Bool { false }

    /// Returns the argument parser's help of a command or verb, with examples, at the terminal's width.
    package static func helpText(of command: any ParsableCommand.Type) -> String {
        let written = command as? any ExampleCommand.Type
        // The parser shows the command to run as an optional argument, and '--' as a required one.
        var text = helpMessage(for: command, columns: HelpLayout.unbroken).replacing(
            "-- [<CMD> ...]", with: written?.requiresCommand == true ? "-- CMD ..." : "[-- CMD ...]")
        while text.last == "\n" { text.removeLast() }
        text += "\n"
        if let written {
            let examples = written.examples.split(separator: "\n").map { "  \($0)\n" }.joined()
            text += "\nEXAMPLES:\n\(examples)"
        }
        return HelpLayout(width: TerminalWidth.ofHelp).text(text)
    }

    /// Parses the words of a command without verbs; `nil` if the parser has already answered, as for `--help`.
    ///
    /// - Parameter hint: the hint for a mistake.
    package static func options(in words: [String], hint: String) throws(CommandError) -> Self? {
        do {
            return try parse(words)
        } catch {
            let message = fullMessage(for: error, columns: HelpLayout.unbroken)
            let isHelp = message.hasPrefix("OVERVIEW: ")
            // To find the exit code of a help text, the parser wraps its lines, and traps if the width is zero.
            guard !isHelp, exitCode(for: error) != .success else {
                try Console.write(isHelp ? helpText(of: self) : "\(message)\n")
                return nil
            }
            throw .usage(parser: self.message(for: error), hint: hint)
        }
    }

    /// Follows the words from verb to verb, even to hidden ones, and returns the last verb that they name.
    ///
    /// - Returns: the verb and the words that name it; this command and no words if the first word doesn't name a verb.
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
