import ArgumentParser
import CommandSupport

struct TerraformClient: HelperClient, ExampleCommand {
    static let name = "terraform"
    static let summary = "Tokens of hosts, for terraform."
    static let details = """
        Works as a credentials helper of Terraform. 'terraform login' stores the token in the keyring, 'terraform init' reads \
        it, and 'terraform logout' deletes it.

        An item's service is the host (app.terraform.io); it has no account.
        """
    static let examples = """
        skr helper install terraform
        echo '{"token":"x"}' | skr helper terraform store app.terraform.io
        skr helper terraform get app.terraform.io
        """

    static let start = HelperStart.link("terraform-credentials-skr", isFoundInPath: false, takesOptions: false)
    static let words = HelperWords.options([], flags: [], behind: .nothing)
    static let errors = HelperErrors.onStandardError
    static let readingWord: String? = "get"

    @Argument(help: "get, store or forget; terraform passes it.", completion: .list(["get", "store", "forget"]))
    var operation: String

    @Argument(help: "The host that the token is for.", completion: .names(.anyServices))
    var host: String

    @OptionGroup var options: HelperOptions

    static func action(for call: HelperCall) -> any VerbAction {
        let request: HelperRequest = call.word == "store" ? .whole(isStoring: true) : .none
        return HelperAction(call: call, request: request) { call, helper, request in
            guard call.words.count == 2 else {
                throw CommandError.usage(
                    "the helper for terraform takes an operation and a host",
                    hint: "skr helper terraform get|store|forget HOST")
            }
            return try helper.terraform(call.words[0], host: call.words[1], request: request)
        }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(
            words: #"credentials_helper "skr""#, files: [("TF_CLI_CONFIG_FILE", ".terraformrc")],
            linkFolder: ".terraform.d/plugins"
        ) { _, file in
            [
                "in \(file):", #"  credentials_helper "skr" {}"#,
                "then run 'terraform login' to store a token in the keyring",
            ]
        }
    }
}
