import CommandSupport

/// The manual page of `skr` or of a verb, made from the argument parser's definitions.
struct ManualPage {
    let root: CommandDefinition
    /// The verb; `nil` for the page of `skr` itself.
    let verb: CommandDefinition?
    /// As mdoc(7) writes it: `November 21, 2026`.
    let date: String

    private var command: CommandDefinition { verb ?? root }
    private var help: HelpText { HelpText(command.discussion ?? "") }
    private var name: String { verb.map { "\(root.commandName)-\($0.commandName)" } ?? root.commandName }

    var text: String {
        var page = ManualMarkup()
        page.macro("Dd \(date)")
        page.macro("Dt \(name.uppercased()) 1")
        page.macro("Os \(RootCommand.configuration.version)")
        page.macro("Sh NAME")
        page.macro("Nm \(name)")
        page.macro("Nd \(ManualMarkup.escape(Self.unsentenced(command.abstract ?? "")))")
        addSynopsis(to: &page)
        addDescription(to: &page)
        if verb == nil { addVerbs(to: &page) }
        addOptions(to: &page)
        addEnvironment(to: &page)
        addExitStatus(to: &page)
        add(help.section("EXAMPLES"), under: "Sh EXAMPLES", to: &page)
        addSeeAlso(to: &page)
        return page.text
    }

    private func addSynopsis(to page: inout ManualMarkup) {
        page.macro("Sh SYNOPSIS")
        page.macro("Nm \(([root] + (verb.map { [$0] } ?? [])).map(\.commandName).joined(separator: " "))")
        if verb == nil {
            page.macro("Ar VERB")
            page.macro("Op Ar ...")
            return
        }
        for argument in command.positionals { page.macro(argument.synopsis) }
        for option in command.options where !option.isForEveryVerb { page.macro(option.synopsis) }
        if command.launched != nil { page.macro("Op Fl - Ar CMD ...") }
    }

    private func addDescription(to page: inout ManualMarkup) {
        page.macro("Sh DESCRIPTION")
        page.paragraph(command.abstract ?? "")
        for section in help.sections where !Self.ownSections.contains(section.title) {
            if section.title.isEmpty {
                if !section.blocks.isEmpty { page.macro("Pp") }
                add(section.blocks, to: &page)
            } else {
                add(section, under: "Ss \(section.title)", to: &page)
            }
        }
    }

    private func addVerbs(to page: inout ManualMarkup) {
        page.macro("Pp")
        page.paragraph("The verbs, each with a page of its own:")
        page.macro("Bl -tag -width Ds")
        for verb in root.verbs where verb.commandName != "help" {
            page.macro("It Xr \(root.commandName)-\(verb.commandName) 1")
            page.paragraph(verb.abstract ?? "")
        }
        page.macro("It Nm Cm help Op Ar VERB")
        page.paragraph("Show the same in short.")
        page.macro("El")
    }

    private func addOptions(to page: inout ManualMarkup) {
        let arguments = verb == nil ? command.options : command.positionals + command.options
        page.macro("Sh OPTIONS")
        page.macro("Bl -tag -width Ds")
        for argument in arguments {
            page.macro("It \(argument.item)")
            page.paragraph(argument.summary)
        }
        page.macro("El")
    }

    private func add(_ section: HelpText.Section?, under heading: String, to page: inout ManualMarkup) {
        guard let section else { return }
        page.macro(heading)
        add(section.blocks, to: &page)
    }

    private func add(_ blocks: [HelpText.Block], to page: inout ManualMarkup) {
        for (position, block) in blocks.enumerated() {
            switch block {
            case .paragraph(let text):
                if position > 0 { page.macro("Pp") }
                page.paragraph(text)
            case .literal(let lines): page.literal(lines)
            }
        }
    }
}

extension ManualPage {
    /// Sections of the help texts that have a place of their own on a page.
    private static let ownSections: Set<String> = ["EXAMPLES", "EXIT CODES", "ENVIRONMENT"]

    /// Each variable is the default of an option, so it is there for the verbs that have it.
    private func addEnvironment(to page: inout ManualMarkup) {
        let variables = PlaceOptions.variables.filter { variable in
            verb == nil || command.option(named: variable.option[...]) != nil
        }
        guard !variables.isEmpty else { return }
        page.macro("Sh ENVIRONMENT")
        page.macro("Bl -tag -width Ds")
        for variable in variables {
            page.macro("It Ev \(variable.name)")
            page.paragraph("What \(variable.option) is where it is left out.")
        }
        page.macro("El")
    }

    private func addExitStatus(to page: inout ManualMarkup) {
        page.macro("Sh EXIT STATUS")
        page.macro("Bl -tag -width Ds")
        let launches = verb == nil || command.launched != nil
        for code in ExitCode.allCases where launches || !code.isOfLaunching {
            page.macro("It \(code.rawValue)")
            page.paragraph("\(code.meaning.prefix(1).uppercased())\(code.meaning.dropFirst()).")
        }
        page.macro("El")
        if verb != nil, launches {
            page.macro("Pp")
            page.paragraph("Otherwise it is that of CMD, 128+N for a signal.")
        }
    }

    private func addSeeAlso(to page: inout ManualMarkup) {
        let others = root.verbs.filter { $0.commandName != "help" && $0.commandName != verb?.commandName }
        var pages = [("keyctl", 1)] + others.map { ("\(root.commandName)-\($0.commandName)", 1) }
        if verb != nil { pages.append((root.commandName, 1)) }
        pages = pages.sorted { $0.0 < $1.0 } + [("keyrings", 7), ("session-keyring", 7)]
        page.macro("Sh SEE ALSO")
        for (position, other) in pages.enumerated() {
            let comma = position == pages.count - 1 ? "" : " ,"
            page.macro("Xr \(other.0) \(other.1)\(comma)")
        }
    }

    private static func unsentenced(_ text: String) -> String {
        let text = text.hasSuffix(".") ? String(text.dropLast()) : text
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

extension ArgumentDefinition {
    private var valueMarkup: String { "Ar \(ManualMarkup.escape(shownValue))" }

    fileprivate var synopsis: String {
        let core: String =
            switch kind {
            case .positional: valueMarkup + (isRepeating ? " ..." : "")
            case .option: "\(flagMarkup) \(valueMarkup)"
            case .flag: flagMarkup
            }
        return isOptional ? "Op \(core)" : core
    }

    /// What stands in front of the description, with all names.
    fileprivate var item: String {
        guard kind != .positional else { return valueMarkup }
        let names = spellings.map { "Fl \(ManualMarkup.escape(String($0.dropFirst())))" }.joined(separator: " , ")
        return kind == .option ? "\(names) \(valueMarkup)" : names
    }

    private var flagMarkup: String { "Fl \(ManualMarkup.escape(String((spelling ?? "-").dropFirst())))" }
}
