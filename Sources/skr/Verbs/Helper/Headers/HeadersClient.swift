import ArgumentParser
import CommandSupport
import CredentialHelpers

struct HeadersClient: HelperClient, ExampleCommand {
    static let name = "headers"
    static let aliases: [String] = []
    static let summary = "A header in JSON, for MCP clients and others."
    static let details = """
        Prints {"Authorization":"Bearer ..."}, for a program that takes its HTTP headers from a command. A header other than \
        Authorization has the secret alone.

        An item with an account is a user's password: in Authorization it is Basic. --scheme says another word than Bearer or Basic, \
        or none if it is ''.

        \(TokenArguments.details) 'skr cached --forget NAME --key headers' drops it.
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

    @Option(help: ArgumentHelp("The word before the secret; Bearer in Authorization unless given.", valueName: "word"))
    var scheme: String?

    @OptionGroup var arguments: TokenArguments

    static func action(for call: HelperCall) throws(CommandError) -> any VerbAction {
        let tokenCall = try TokenCall(call)
        let header = call.option("--header") ?? "Authorization"
        guard let headers = HeadersObject(header: header, scheme: call.option("--scheme")) else {
            throw .usage(
                "--header and --scheme are words of an HTTP header",
                hint: "use letters, digits and hyphens, as in X-API-Key")
        }
        return try tokenCall.action { headers }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup("helper headers", files: [("", ".claude.json")]) { call, _ in
            [
                "for Claude Code, in .mcp.json, for each server:",
                #"  "headersHelper": "\#(call.user.executable) helper headers work\#(call.shellOptions)""#,
            ]
        }
    }
}
