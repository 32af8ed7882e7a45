/// The help of a verb, at the terminal's width.
package enum HelpText {
    package static func of(_ call: VerbCall) -> String {
        let layout = HelpLayout(width: TerminalWidth.ofHelp)
        guard call.verb.overview.isEmpty else { return layout.text(call.verb.overview) }
        let arguments = call.arguments
        var text = call.verb.summary + "\n"
        if !call.verb.details.isEmpty { text += "\n\(call.verb.details)\n" }
        if !call.verb.aliases.isEmpty { text += "\nOther names: \(call.verb.aliases.joined(separator: ", ")).\n" }
        text += "\nUSAGE: \(call.line)" + arguments.map { " " + $0.bracketed }.joined()
        if !call.verbs.isEmpty { text += " VERB" }
        text += "\n"
        add("ARGUMENTS", arguments.filter { $0.kind == .word || $0.kind == .command }.map(row), to: &text)
        let options = arguments.filter { $0.kind == .option || $0.kind == .flag }
        add("OPTIONS", options.map(row) + [("-h, --help", "Show this help.")], to: &text)
        add("VERBS", call.verbs.map { ($0.verb.name, $0.verb.summary) }, to: &text)
        text += "\nEXAMPLES:\n" + call.verb.examples.split(separator: "\n").map { "  \($0)\n" }.joined()
        return layout.text(text)
    }

    /// The options of `reader` as lines of a help text, for words that don't come from the command line.
    package static func options(_ read: (inout CommandWords) -> Void) -> String {
        var words = CommandWords([], describing: true)
        read(&words)
        let options = (words.arguments ?? []).filter { $0.kind == .option || $0.kind == .flag }
        return options.map { line(row($0)) }.joined()
    }

    private static func row(_ argument: Argument) -> (String, String) {
        (
            argument.spellings.joined(separator: ", ") + (argument.value.isEmpty ? "" : " \(argument.value)"),
            argument.summary
        )
    }

    private static func add(_ heading: String, _ rows: [(String, String)], to text: inout String) {
        if !rows.isEmpty { text += "\n\(heading):\n" + rows.map(line).joined() }
    }

    private static func line(_ row: (label: String, text: String)) -> String {
        let column = 26
        let room = column - 2 - row.label.count
        let gap = room > 1 ? String(repeating: " ", count: room) : "\n" + String(repeating: " ", count: column)
        return "  \(row.label)\(gap)\(row.text)\n"
    }
}
