import CommandSupport
import CredentialHelpers

struct GoogleClient: HelperClient {
    static let name = "google"
    static let aliases = ["gcloud"]
    static let summary = "Tokens of an identity provider, for Google Cloud."
    static let details = """
        Works as the executable in a credential file for workload identity federation. The item NAME, or CMD's \
        output, is your identity provider's token, or JSON that contains it. Set \
        GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1.

        \(TokenWords.details) Each audience, and each service account's e-mail, has its own output.

        'skr cached --forget NAME --key google --key ACCOUNT --key AUDIENCE --key EMAIL' deletes the kept output; \
        write '' for each value that is not set.

        Google's libraries read standard error as part of the answer, so CMD must print nothing there when it \
        succeeds.
        """
    static let examples = """
        skr helper install google
        printf tok3n | skr set work --timeout 8h
        skr helper google work
        """

    static let start = HelperStart.commandLine
    static let errors = HelperErrors.mixedWithAnswer

    private let token: TokenWords

    init(_ words: inout CommandWords) { token = TokenWords(&words) }

    func run() throws {
        let call = try token.call(of: Self.self)
        let audience = try call.environment("GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE")
        let email = try call.environment("GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL")
        let type = try call.environment("GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE")
        try call.answer(for: [audience, email]) { () throws(UnusableToken) in try GoogleToken(type: type) }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(
            words: "helper google",
            files: [("GOOGLE_APPLICATION_CREDENTIALS", ".config/gcloud/application_default_credentials.json")],
            unquoted: { [$0.user.executable] + $0.options }
        ) { call, _ in
            let command = #""command": "\#(call.user.executable) helper google work\#(call.shellOptions)""#
            return [
                "in the file that GOOGLE_APPLICATION_CREDENTIALS names:",
                #"  "credential_source": {"executable": {\#(command), "timeout_millis": 30000}}"#,
                "and in the environment:", "  export GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1",
                "store your identity provider's token in the item 'work' (or JSON that has it):", call.storing("work"),
            ]
        }
    }
}
