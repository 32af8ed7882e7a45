import Keyutils

/// The manual page of a verb, written in mdoc(7), generated from what the verb declares.
package struct ManualPage {
    /// The parts of a page that verbs don't declare.
    package struct Surroundings {
        /// Variables that the command reads or sets, other than the defaults of options.
        package var variables: [(name: String, meaning: String)] = []
        package var exitCodes: [(code: String, meaning: String)] = []
        /// The names of further pages of section 1 that are installed with it.
        package var related: [String] = []
        /// The names of the pages of section 7 that are installed with it, with their subjects.
        package var guides: [(name: String, subject: String)] = []
        /// Whether the page lists the subjects.
        package var listsGuides = false

        package init() {}
    }

    package private(set) var text = ""

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - path: the calls from the program itself to the verb.
    ///   - date: in the form `November 21, 2026`.
    package init(of path: [VerbCall], version: String, date: String, _ more: Surroundings) {
        guard let call = path.last else { return }
        let name = call.names.joined(separator: "-")
        let arguments = call.arguments
        macro("Dd \(date)\n.Dt \(name.uppercased()) 1\n.Os \(version)")
        let summary = call.verb.summary
        macro(
            "Sh NAME\n.Nm \(name)\n.Nd \(Self.escape(summary.prefix(1).lowercased() + summary.dropFirst().dropLast()))")
        macro("Sh SYNOPSIS\n.Nm \(call.line)")
        for argument in arguments { macro(argument.synopsis) }
        if !call.verbs.isEmpty { macro("Ar VERB\n.Op Ar ...") }
        macro("Sh DESCRIPTION")
        paragraph(summary)
        add(discussion: call.verb.details)
        addVerbs(call)
        let help = [("Fl h , Fl \\-help", "Show the help.")]
        addList("OPTIONS", arguments.filter { $0.kind != .command }.map { ($0.item, $0.summary) } + help)
        let defaults = arguments.filter { !$0.variable.isEmpty }
        addList(
            "ENVIRONMENT",
            defaults.map { ("Ev \($0.variable)", "The default of \($0.name).") }
                + more.variables.map { ("Ev \($0.name)", $0.meaning) })
        addList(
            "EXIT STATUS",
            more.exitCodes.map { ($0.code, $0.meaning.prefix(1).uppercased() + $0.meaning.dropFirst() + ".") })
        if more.listsGuides {
            addList(
                "GUIDES",
                more.guides.map {
                    ("Xr \($0.name) 7", "\($0.subject.prefix(1).uppercased())\($0.subject.dropFirst()).")
                })
        }
        macro("Sh EXAMPLES")
        literal(call.verb.examples.split(separator: "\n", omittingEmptySubsequences: false))
        addReferences(path, more)
    }

    /// Adds references to the pages above this one, their verbs' pages, and the package's other pages.
    ///
    /// It refers to no other package's pages, because they might not be installed.
    private mutating func addReferences(_ path: [VerbCall], _ more: Surroundings) {
        var names = Set(more.related)
        for call in path {
            names.formUnion(([call] + call.verbs).map { $0.names.joined(separator: "-") })
        }
        names.remove(path.last?.names.joined(separator: "-") ?? "")
        let pages = names.sorted().map { "\($0) 1" } + more.guides.map(\.name).sorted().map { "\($0) 7" }
        guard !pages.isEmpty else { return }
        macro("Sh SEE ALSO")
        macro(pages.map { "Xr \($0)" }.joined(separator: " ,\n."))
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
            if !indented.isEmpty {
                literal(HelpLayout(width: 76).text(indented.joined(separator: "\n")).split(separator: "\n"))
            }
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

    private mutating func addVerbs(_ call: VerbCall) {
        guard !call.verbs.isEmpty else { return }
        macro("Pp")
        paragraph("The verbs; each has its own page:")
        let verbs = call.verbs.map { ("Xr \($0.names.joined(separator: "-")) 1", $0.verb.summary) }
        addList(nil, verbs + (call.depth == 0 ? [("Ic help Op Ar VERB", "Show a shorter version of the page.")] : []))
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

extension Argument {
    fileprivate var synopsis: String {
        let core =
            switch kind {
            case .command: "Fl - Ar \(name) ..."
            case .word: "Ar \(name)\(isRepeating ? " ..." : "")"
            case .option: "Fl \(ManualPage.escape(String(name.dropFirst()))) Ar \(ManualPage.escape(value))"
            case .flag: "Fl \(ManualPage.escape(String(name.dropFirst())))"
            }
        return isRequired ? core : "Op \(core)"
    }

    fileprivate var item: String {
        guard kind != .word else { return "Ar \(name)" }
        let flags = spellings.map { "Fl \(ManualPage.escape(String($0.dropFirst())))" }.joined(separator: " , ")
        return flags + (kind == .option ? " Ar \(ManualPage.escape(value))" : "")
    }
}
