import ArgumentParser
import CommandSupport
import CredentialHelpers

struct HeadersClient: HelperClient, ExampleCommand {
    static let name = "headers"
    static let aliases: [String] = []
    static let summary = "A header in JSON, for MCP clients and others."
    static let details = """
        Prints {"Authorization":"Bearer SECRET"}, for a program that runs a command to get its HTTP headers. --header \
        prints another header, whose value is the secret without a scheme.

        If the item has an account, it is a user's password, and the scheme is Basic. With --scheme WORD, the value is WORD \
        and the secret, without the account. A secret with a line break counts as not found.

        \(TokenArguments.details) 'skr cached --forget NAME --key headers' deletes it.
        """
    static let examples = """
        printf tok3n | skr set work --timeout 8h
        skr helper headers work
        skr helper headers --header X-API-Key work
        """

    static let start = HelperStart.commandLine
    static let words = HelperWords.options(["--header", "--scheme"], flags: [], behind: .command)
    static let errors = HelperErrors.onStandardError

    @Option(help: ArgumentHelp("The header; Authorization unless given.", valueName: "name"))
    var header: String?

    @Option(help: ArgumentHelp("The scheme before the secret; '' for none.", valueName: "word"))
    var scheme: String?

    @OptionGroup var arguments: TokenArguments

    static func action(for call: HelperCall) throws(CommandError) -> any VerbAction {
        let tokenCall = try TokenCall(call)
        let header = call.option("--header") ?? "Authorization"
        guard let headers = HeadersObject(header: header, scheme: call.option("--scheme")) else {
            throw .usage(
                "--header or --scheme has characters that HTTP doesn't allow there",
                hint: "use letters, digits and hyphens, as in X-API-Key")
        }
        return try tokenCall.action { headers }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(
            "helper headers", files: [("CLAUDE_CONFIG_DIR/.claude.json", ".claude.json")],
            unquoted: { [$0.user.executable] + $0.options }
        ) { call, _ in
            [
                "for Claude Code, in .mcp.json or ~/.claude.json, for each server:",
                #"  "headersHelper": "\#(call.user.executable) helper headers work\#(call.shellOptions)""#,
            ]
        }
    }
}
