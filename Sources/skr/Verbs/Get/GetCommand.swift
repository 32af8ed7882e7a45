import ArgumentParser
import CommandSupport

struct GetCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the exact bytes of a secret.",
        discussion: """
            On a terminal, get adds a newline. Without ACCOUNT, it prints the item that has no account, or else the \
            only account of the service.

            --field prints a string without quotes and escapes, and any other value as JSON on one line; numbers \
            keep all their digits.

            If the item is missing, the hint names another scope or namespace of this login that has it. The search \
            creates no keyring and renews no timeout.
            """
    )

    static let examples = """
        curl -H @<(printf 'Authorization: Bearer %s' "$(skr get api)") \\
          https://example.com/
        skr get oauth --field tokens.0.access
        skr get skr://db/alice
        """

    @OptionGroup var target: TargetArguments

    @Flag(help: "Don't run a source if the item is missing.")
    var noSource = false

    @Option(help: ArgumentHelp("Print only this part of a JSON secret, such as tokens.0.access.", valueName: "path"))
    var field: String?

    func action() throws(CommandError) -> any VerbAction {
        let (target, field) = try target.target(field: field)
        return GetAction(target: target, field: field, usesSources: !noSource)
    }
}

/// Writes a secret, or one of its fields, to standard output.
struct GetAction: VerbAction {
    let target: Target
    let field: String?
    var usesSources = true

    func run() throws {
        let items = SourcedItems(try target.place.store(), of: target.place, usesSources: usesSources)
        // Written directly from the memory that the kernel wrote to. A copy would have to be locked and wiped too.
        try target.withSecret(field: field, in: items) { bytes throws(CommandError) in
            try Console.writeSecret(bytes)
        }
    }
}

extension GetAction {
    /// Creates the action of a plain call; `nil` for any other call.
    init?(plain words: CommandLineWords) {
        var call = PlainCall(words)
        var field: String?
        while let option = call.nextOption() {
            guard option == "--field", field == nil else { return nil }
            field = call.value()
        }
        guard let target = call.target() else { return nil }
        self.init(target: target, field: field)
    }
}
