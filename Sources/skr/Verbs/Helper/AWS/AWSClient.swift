import CommandSupport
import CredentialHelpers

struct AWSClient: HelperClient {
    static let name = "aws"
    static let summary = "Credentials of a profile, for aws and its SDKs."
    static let details = """
        Works as the credential_process of a profile in ~/.aws/config. The item NAME, or CMD's output, is JSON in \
        the format of credential_process, of 'aws sts assume-role' or of 'aws sso get-role-credentials'.

        \(TokenWords.details)

        'skr cached --forget NAME --key aws' deletes the kept output; with ACCOUNT, add --key ACCOUNT.
        """
    static let examples = """
        skr helper install aws
        echo '{"AccessKeyId":"AKIA","SecretAccessKey":"x"}' | skr set work --timeout 8h
        skr helper aws work
        """

    static let start = HelperStart.commandLine
    static let errors = HelperErrors.onStandardError

    private let token: TokenWords

    init(_ words: inout CommandWords) { token = TokenWords(&words) }

    func run() throws { try token.call(of: Self.self).answer { AWSCredentials() } }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(words: "helper aws", files: [("AWS_CONFIG_FILE", ".aws/config")]) { call, file in
            let program = Display.shellWord(call.user.executable)
            return [
                "in \(file), for each profile:", "  [profile work]",
                "  credential_process = \(program) helper aws work\(call.shellOptions)",
                "store the access key in the item 'work', as one line of JSON:",
                #"  {"AccessKeyId":"...","SecretAccessKey":"..."}"#, call.storing("work"),
            ]
        }
    }
}
