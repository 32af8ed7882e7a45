/// What `skr help` shows: how to call it first, then what it does, made from the argument parser's definitions.
struct HelpPage {
    let root: CommandDefinition
    /// The verb; `nil` for the help of `skr` itself.
    let verb: CommandDefinition?

    private static let width = 79

    private var command: CommandDefinition { verb ?? root }

    var text: String {
        let help = HelpText(command.discussion ?? "")
        let parts = [command.abstract ?? "", usage, verb == nil ? verbs : "", arguments] + help.sections.map(Self.text)
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private var usage: String {
        guard let verb else { return "USAGE: \(root.commandName) VERB [ARGUMENTS]" }
        let words = verb.positionals.map(\.usage) + verb.options.filter { !$0.isForEveryVerb }.map(\.usage)
        let launched = verb.launched.map { ["[-- \($0.shownValue) ...]"] } ?? []
        let start = "USAGE: \(root.commandName) \(verb.commandName)"
        return Self.wrap([start] + words + launched, indent: start.count + 1, start: 0)
    }

    private var verbs: String {
        let rows = root.verbs.map { (name: $0.commandName, text: $0.abstract ?? "") }
        return "VERBS, whose options and examples '\(root.commandName) help VERB' shows:\n" + Self.table(rows)
    }

    private var arguments: String {
        let shown = (verb == nil ? [] : command.positionals) + command.options
        let rows = shown.map { (name: $0.shownNames, text: $0.summary) }
        return (command.positionals.isEmpty || verb == nil ? "OPTIONS:\n" : "ARGUMENTS AND OPTIONS:\n")
            + Self.table(rows)
    }

    private static func text(of section: HelpText.Section) -> String {
        let blocks = section.blocks.map { block in
            switch block {
            case .paragraph(let text): wrap(text.split(separator: " ").map(String.init), indent: 0, start: 0)
            case .literal(let lines): lines.map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
            }
        }
        let isParagraph = { (block: HelpText.Block) in
            if case .paragraph = block { true } else { false }
        }
        var text = section.title.isEmpty ? "" : "\(section.title):"
        for (position, block) in blocks.enumerated() {
            let isFirst = text.isEmpty || text.hasSuffix(":") && position == 0
            let apart =
                position > 0 && isParagraph(section.blocks[position]) && isParagraph(section.blocks[position - 1])
            text += (text.isEmpty ? "" : isFirst || !apart ? "\n" : "\n\n") + block
        }
        return text
    }

    /// Names on the left, and what they are for on the right.
    private static func table(_ rows: [(name: String, text: String)]) -> String {
        let column = 2 + min(22, rows.map(\.name.count).max() ?? 0) + 2
        return rows.map { row in
            let words = row.text.split(separator: " ").map(String.init)
            let start = row.name.count + 4 <= column ? "" : "  \(row.name)\n"
            let name = start.isEmpty ? "  \(row.name)" : ""
            let padding = String(repeating: " ", count: column - name.count)
            return start + name + padding + wrap(words, indent: column, start: column)
        }.joined(separator: "\n")
    }

    /// The words in lines, the first of which begins at column `start` and all others at `indent`.
    private static func wrap(_ words: [String], indent: Int, start: Int) -> String {
        var text = ""
        var column = start
        for word in words {
            if text.isEmpty {
                text = word
                column += word.count
            } else if column + 1 + word.count > width {
                text += "\n" + String(repeating: " ", count: indent) + word
                column = indent + word.count
            } else {
                text += " " + word
                column += 1 + word.count
            }
        }
        return text
    }
}

extension ArgumentDefinition {
    /// As a synopsis has it: `[--scope SCOPE]`.
    fileprivate var usage: String {
        let core: String =
            switch kind {
            case .positional: shownValue
            case .option: "\(spelling ?? "") \(shownValue)"
            case .flag: spelling ?? ""
            }
        return (isOptional ? "[\(core)]" : core) + (isRepeating ? "..." : "")
    }

    /// All names, and the value.
    fileprivate var shownNames: String {
        guard kind != .positional else { return shownValue }
        return spellings.joined(separator: ", ") + (kind == .option ? " \(shownValue)" : "")
    }
}
