import CommandSupport
import ArgumentParser
import CredentialHelpers

struct AWSClient: HelperClient, ExampleCommand {
    static let name = "aws"
    static let summary = "Credentials of a profile, for aws and its SDKs."
    static let details = """
        Works as the credential_process of a profile in ~/.aws/config. The item NAME, or CMD's output, is JSON in \
        the format of credential_process, of 'aws sts assume-role' or of 'aws sso get-role-credentials'.

        \(TokenArguments.details)

        'skr cached --forget NAME --key aws' deletes the kept output; with ACCOUNT, add --key ACCOUNT.
        """
    static let examples = """
        skr helper install aws
        echo '{"AccessKeyId":"AKIA","SecretAccessKey":"x"}' | skr set work --timeout 8h
        skr helper aws work
        """

    static let start = HelperStart.commandLine
    static let words = HelperWords.options([], flags: [], behind: .command)
    static let errors = HelperErrors.onStandardError
    static let readingWord: String? = nil

    @OptionGroup var arguments: TokenArguments

    static func action(for call: HelperCall) throws(CommandError) -> any VerbAction {
        try TokenCall(call).action { AWSCredentials() }
    }

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
