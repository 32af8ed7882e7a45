import CommandSupport

struct GetVerb: Verb {
    static let name = "get"
    static let summary = "Print the exact bytes of a secret."
    static let details = """
        On a terminal, get adds a newline. Without ACCOUNT, it prints the item that has no account, or else the \
        only account of the service.

        --field prints a string without quotes and escapes, and any other value as JSON on one line; numbers \
        keep all their digits.

        If the item is missing, the hint names another scope or namespace of this login that has it. The search \
        creates no keyring and renews no timeout.
        """

    static let examples = """
        curl -H @<(printf 'Authorization: Bearer %s' "$(skr get api)") \\
          https://example.com/
        skr get oauth --field tokens.0.access
        skr get skr://db/alice
        """

    private let field: String?
    private let usesSources: Bool
    private let target: TargetWords

    init(_ words: inout CommandWords) {
        field = words.option(
            "--field", value: "PATH", "Print only this part of a JSON secret, such as tokens.0.access.")
        usesSources = !words.flag("--no-source", "Don't run a source if the item is missing.")
        target = TargetWords(&words)
    }

    func run() throws {
        let (target, field) = try target.target(field: field)
        let items = SourcedItems(try target.place.store(), of: target.place, usesSources: usesSources)
        // Written directly from the memory that the kernel wrote to. A copy would have to be locked and wiped too.
        try target.withSecret(field: field, in: items) { bytes throws(CommandError) in
            try Console.writeSecret(bytes)
        }
    }
}
