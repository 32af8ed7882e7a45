import ArgumentParser
import Keyutils

/// The manual page of a command or of one of its verbs, written in mdoc(7).
///
/// It is generated from the argument parser's definitions.
package struct ManualPage {
    package private(set) var text = ""
    private let command: CommandDefinition
    private let words: [String]
    private let example: (any ExampleCommand.Type)?

    /// Creates a manual page.
    ///
    /// - Parameters:
    ///   - verbs: the words after the command's name, each naming a verb of the verb before it.
    ///   - date: in the form `November 21, 2026`.
    ///   - variables: the environment variables that replace options.
    ///   - otherVariables: the other variables that the command reads or sets.
    ///   - exitCodes: the exit codes of the command, and their meanings.
    ///   - related: the names of further section 1 pages that are installed with it.
    ///   - guides: the names of the section 7 pages that are installed with it.
    ///   - subjects: the subjects of these pages, if the page lists them.
    package init(
        of root: any ExampleCommand.Type, verbs: [String] = [], date: String,
        variables: [(name: String, option: String)] = [], otherVariables: [(name: String, meaning: String)] = [],
        exitCodes: [(code: String, meaning: String)],
        related: [String] = [],
        guides: [String] = [], subjects: [String] = []
    ) throws(CommandError) {
        let verb = root.verb(named: verbs)
        command = try CommandDefinition(of: verb.command, isVerb: !verb.names.isEmpty)
        words = [root.configuration.commandName ?? ""] + verb.names
        example = verb.command as? any ExampleCommand.Type
        let abstract = (command.abstract ?? "").dropLast(1)
        macro("Dd \(date)\n.Dt \(words.joined(separator: "-").uppercased()) 1\n.Os \(root.configuration.version)")
        macro("Sh NAME\n.Nm \(words.joined(separator: "-"))")
        macro("Nd \(Self.escape(abstract.prefix(1).lowercased() + abstract.dropFirst()))")
        addSynopsis()
        macro("Sh DESCRIPTION")
        paragraph(command.abstract ?? "")
        add(discussion: command.discussion ?? "")
        if !command.documentedVerbs.isEmpty { addVerbs() }
        let options = command.positionals + command.options
        addList("OPTIONS", options.map { ($0.item, $0.summary) })
        let named = variables.filter { command.option(named: $0.option[...]) != nil || verbs.isEmpty }
        addList(
            "ENVIRONMENT",
            named.map { ("Ev \($0.name)", "The default of \($0.option).") }
                + otherVariables.map { ("Ev \($0.name)", $0.meaning) })
        addList(
            "EXIT STATUS", exitCodes.map { ($0.code, $0.meaning.prefix(1).uppercased() + $0.meaning.dropFirst() + ".") }
        )
        addList(
            "GUIDES", zip(guides, subjects).map { ("Xr \($0) 7", "\($1.prefix(1).uppercased())\($1.dropFirst()).") })
        macro("Sh EXAMPLES")
        literal((example?.examples ?? "").split(separator: "\n", omittingEmptySubsequences: false))
        addReferences(from: root, related, guides)
    }

    /// Adds references to the pages above this one, their verbs' pages, related commands, and the package's guides.
    ///
    /// It refers to no other package's pages, because they might not be installed.
    private mutating func addReferences(
        from root: any ExampleCommand.Type, _ related: [String], _ guides: [String]
    ) {
        var names = Set(related)
        for depth in words.indices {
            let name = words[...depth].joined(separator: "-")
            let verbs = root.verb(named: words[...depth].dropFirst()).command.configuration.subcommands
            let shown = verbs.filter { $0.configuration.shouldDisplay }
            names.formUnion([name] + shown.map { "\(name)-\($0.configuration.commandName ?? "")" })
        }
        names.remove(words.joined(separator: "-"))
        let pages = names.sorted().map { "\($0) 1" } + guides.sorted().map { "\($0) 7" }
        guard !pages.isEmpty else { return }
        macro("Sh SEE ALSO")
        macro(pages.map { "Xr \($0)" }.joined(separator: " ,\n."))
    }

    private mutating func addSynopsis() {
        macro("Sh SYNOPSIS\n.Nm \(words.joined(separator: " "))")
        guard command.documentedVerbs.isEmpty else { return macro("Ar VERB\n.Op Ar ...") }
        for argument in command.positionals + command.options where !argument.isForEveryVerb {
            macro(argument.synopsis)
        }
        if command.launched != nil { macro("\(example?.requiresCommand == true ? "" : "Op ")Fl - Ar CMD ...") }
    }

    /// Adds the discussion, in which a line that starts in capitals, such as `ENV FILES:`, gets a heading.
    ///
    /// Indented lines are printed literally.
    private mutating func add(discussion: String) {
        var indented: [Substring] = []
        for line in "\(discussion)\n".split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("  ") {
                indented.append(line.dropFirst(2))
                continue
            }
            if !indented.isEmpty { literal(indented) }
            indented = []
            guard !line.isEmpty else { continue }
            let title = line.prefix { $0.isUppercase || $0 == " " || $0 == "," }
            if title.count > 2, line[title.endIndex...].hasPrefix(":") {
                macro("Ss \(title)")
                let rest = line[title.endIndex...].dropFirst().drop { $0 == " " }
                if !rest.isEmpty { paragraph(rest.prefix(1).uppercased() + rest.dropFirst()) }
            } else {
                macro("Pp")
                paragraph(String(line))
            }
        }
    }

    private mutating func addVerbs() {
        macro("Pp")
        paragraph("The verbs; each has its own page:")
        let name = words.joined(separator: "-")
        let verbs = command.documentedVerbs.map { ("Xr \(name)-\($0.commandName) 1", $0.abstract ?? "") }
        addList(nil, verbs + (words.count == 1 ? [("Ic help Op Ar VERB", "Show a shorter version of the page.")] : []))
    }

    private mutating func addList(_ heading: String?, _ rows: [(item: String, text: String)]) {
        guard !rows.isEmpty else { return }
        macro((heading.map { "Sh \($0)\n." } ?? "") + "Bl -tag -width Ds")
        for row in rows {
            macro("It \(row.item)")
            paragraph(row.text)
        }
        macro("El")
    }

    /// Adds a macro with arguments that are already markup.
    private mutating func macro(_ line: String) {
        text += ".\(line)\n"
    }

    /// Adds running text: each sentence starts on a new line, as mdoc(7) wants it, and lines are short.
    private mutating func paragraph(_ paragraph: String) {
        var line = ""
        for word in paragraph.split(separator: " ") {
            if Self.escape("\(line) \(word)").utf8.count > 78 || line.hasSuffix(".") || line.hasSuffix(":") {
                add(line: line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        if !line.isEmpty { add(line: line) }
    }

    private mutating func literal(_ lines: [Substring]) {
        macro("Bd -literal -offset indent")
        for line in lines { add(line: String(line)) }
        macro("Ed")
    }

    private mutating func add(line: String) {
        text += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + Self.escape(line) + "\n"
    }

    /// Escapes a text so that troff prints each character unchanged, without its typographic replacements.
    fileprivate static func escape(_ text: String) -> String {
        let written: [Character: String] = [
            "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\"": "\\(dq",
        ]
        return text.map { written[$0] ?? String($0) }.joined()
    }
}

extension ArgumentDefinition {
    private var value: String { "Ar \(ManualPage.escape(shownValue))" }

    fileprivate var synopsis: String {
        let flag = "Fl \(ManualPage.escape(String((spelling ?? "").dropFirst())))"
        let positional = value + (isRepeating ? " ..." : "")
        let core = kind == .positional ? positional : kind == .option ? "\(flag) \(value)" : flag
        return isOptional ? "Op \(core)" : core
    }

    fileprivate var item: String {
        guard kind != .positional else { return value }
        let flags = spellings.map { "Fl \(ManualPage.escape(String($0.dropFirst())))" }.joined(separator: " , ")
        return flags + (kind == .option ? " \(value)" : "")
    }
}
