import CommandSupport
import CredentialHelpers

struct HeadersClient: HelperClient {
    static let name = "headers"
    static let summary = "A header in JSON, for MCP clients and others."
    static let details = """
        Prints a header as JSON, for a program that runs a command to get its HTTP headers: {"Authorization":"Bearer \
        SECRET"}. If the item has an account, the secret is that user's password, and the value is 'Basic' and \
        USER:SECRET in Base64.

        --header prints another header; without an account, its value is the bare secret. --scheme puts another word \
        before the secret, and leaves the account out.

        \(TokenWords.details)

        'skr cached --forget NAME --key headers' deletes the kept output; with ACCOUNT, add --key ACCOUNT.
        """
    static let examples = """
        printf tok3n | skr set work --timeout 8h
        skr helper headers work
        skr helper headers --header X-API-Key work
        """

    static let start = HelperStart.commandLine
    static let errors = HelperErrors.onStandardError

    private let header, scheme: String?
    private let token: TokenWords

    init(_ words: inout CommandWords) {
        header = words.option("--header", value: "NAME", "The header; without it, Authorization.")
        scheme = words.option("--scheme", value: "WORD", "The word before the secret; '' for no word.")
        token = TokenWords(&words)
    }

    func run() throws {
        guard let headers = HeadersObject(header: header ?? "Authorization", scheme: scheme) else {
            throw CommandError.usage(
                "--header or --scheme has characters that HTTP doesn't allow there",
                hint: "use letters, digits and hyphens, as in X-API-Key")
        }
        try token.call(of: Self.self).answer { headers }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(
            words: "helper headers", files: [("CLAUDE_CONFIG_DIR/.claude.json", ".claude.json")],
            unquoted: { [$0.user.executable] + $0.options }
        ) { call, _ in
            [
                "for Claude Code, in .mcp.json or ~/.claude.json, for each server:",
                #"  "headersHelper": "\#(call.user.executable) helper headers work\#(call.shellOptions)""#,
                "store the token in the item 'work'; for a password, add the user's name:", call.storing("work"),
            ]
        }
    }
}
