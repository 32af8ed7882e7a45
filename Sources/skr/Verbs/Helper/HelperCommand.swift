import ArgumentParser
import CommandSupport

struct HelperCommand: VerbCommand {
    static let name = "helper"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Let git, docker and others get secrets from the keyring.",
        discussion: """
            'skr helper install CLIENT' sets a client up. When the client needs a secret, it runs its helper: 'skr \
            helper CLIENT', or a symbolic link to skr.

            A client stores each secret as an item. The item's service is the client's name for the server, and its \
            account is the user. 'skr get', 'skr list' and 'skr delete' work on these items.

            --timeout, or SKR_TIMEOUT, limits the lifetime of each secret. If a secret also has an expiry, the \
            earlier end counts. Storing the same secret again never extends its lifetime, but a shorter --timeout \
            shortens it.
            """,
        subcommands: [InstallCommand.self, UninstallCommand.self, StatusCommand.self],
        groupedSubcommands: [CommandGroup(name: "Client", subcommands: HelperClients.all.map { $0.verb })]
    )

    static let examples = """
        skr helper install git --timeout 8h --write-config
        skr helper install docker --write-config
        skr helper status
        skr helper git --help
        """

    /// The verbs that are not clients.
    static var ownVerbs: [String] { configuration.ungroupedSubcommands.compactMap { $0.configuration.commandName } }

    func action() throws(CommandError) -> any VerbAction {
        throw .usage("no client given", hint: "'skr help helper' lists the clients")
    }

    /// Returns the error for options that come before the client or verb to which they belong.
    ///
    /// The result is `nil` if no word names a client or verb.
    static func optionsBeforeClient(_ words: [String]) -> CommandError? {
        var rest = words.dropFirst()
        var before: [String] = []
        while let word = rest.popFirst() {
            if word == "--" { continue }
            if word.hasPrefix("-") {
                before.append(word)
                let hasValue = ["--timeout", "--scope", "--namespace", "--dir"].contains(ShortOption.long(word))
                if hasValue, let value = rest.popFirst() { before.append(value) }
                continue
            }
            guard ownVerbs.contains(word) || HelperClients.serving(word) != nil else { return nil }
            let call = ["skr", words[0], word] + (ownVerbs.contains(word) ? rest + before : before + rest)
            return .usage(
                "options must come after the client or verb",
                hint: call.map(Display.shellWord).joined(separator: " "))
        }
        return nil
    }

    /// Returns the words with the client's own name instead of an alias.
    static func namingClient(_ words: [String]) -> [String] {
        guard words.count > 1, let client = HelperClients.serving(words[1]) else { return words }
        return [words[0], client.name] + words.dropFirst(2)
    }
}

/// The options that every helper accepts.
struct HelperOptions: ParsableArguments {
    @Option(
        name: .joinable("t"),
        help: ArgumentHelp(
            "The longest lifetime of a secret: 90s, 15m, 8h, 2d or 1h30m; never means no limit.",
            valueName: "duration|never"))
    var timeout: TimeoutArgument?

    @OptionGroup var place: PlaceOptions

    /// The options as words of a command line.
    var words: [String] {
        [("--timeout", timeout?.text), ("--scope", place.scope?.rawValue), ("--namespace", place.namespace)]
            .flatMap { name, value in
                value.map { $0.hasPrefix("-") ? ["\(name)=\($0)"] : [name, $0] } ?? []
            }
    }

    /// Returns options quoted for a client's configuration, each preceded by a space.
    static func quoted(_ words: [String]) -> String {
        words.map { " \(Display.storedWord($0))" }.joined()
    }
}

extension TimeoutArgument {
    /// The timeout in the form in which users write it.
    fileprivate var text: String {
        guard let duration else { return "never" }
        let short = DurationText.rounded(duration)
        return DurationText.parse(short) == duration ? short : "\(duration.components.seconds)s"
    }
}
