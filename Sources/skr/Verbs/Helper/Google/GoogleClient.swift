import ArgumentParser
import CommandSupport
import CredentialHelpers

struct GoogleClient: HelperClient, ExampleCommand {
    static let name = "google"
    static let aliases = ["gcloud"]
    static let summary = "Tokens of an identity provider, for Google Cloud."
    static let details = """
        Answers the executable of a credential file for workload identity federation. The item NAME, or what CMD prints, is the token \
        of your identity provider, or JSON with one.

        \(TokenArguments.details)

        Each audience and e-mail has a kept answer of its own. The libraries read what CMD writes to standard error too, so it \
        has to be silent where it succeeds.
        """
    static let examples = """
        skr helper install google
        printf tok3n | skr set work --timeout 8h
        skr helper google work
        """

    static let start = HelperStart.commandLine
    static let words = HelperWords.options([], flags: [], behind: .command)
    static let errors = HelperErrors.onStandardError

    @OptionGroup var arguments: TokenArguments

    static func action(for call: HelperCall) throws(CommandError) -> any VerbAction {
        let audience = try Place.environment("GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE")
        let email = try Place.environment("GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL")
        let type = try Place.environment("GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE")
        return try TokenCall(call).action(for: [audience, email], readsErrors: true) { () throws(UnusableToken) in
            try GoogleToken(type: type)
        }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(
            "helper google",
            files: [("GOOGLE_APPLICATION_CREDENTIALS", ".config/gcloud/application_default_credentials.json")],
            unquoted: { [$0.user.executable] + $0.options }
        ) { call, _ in
            let command = #""command": "\#(call.user.executable) helper google work\#(call.shellOptions)""#
            return [
                "in the file that GOOGLE_APPLICATION_CREDENTIALS names:",
                #"  "credential_source": {"executable": {\#(command), "timeout_millis": 30000}}"#,
                "and in the environment:", "  export GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1",
            ]
        }
    }
}
