import CommandSupport

struct TerraformClient: HelperClient {
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
    static let errors = HelperErrors.onStandardError

    private let options: HelperOptions
    private let operation, host: String

    init(_ words: inout CommandWords) {
        options = HelperOptions(&words)
        operation = words.word("OPERATION", "get, store or forget; terraform passes it.", .choice("get|store|forget"))
        host = words.word("HOST", "The host that the token is for.", .anyServices)
    }

    func run() throws {
        let request: HelperRequest = operation == "store" ? .whole(isStoring: true) : .none
        try options.call(of: Self.self).answer(request, isReading: operation == "get") { helper, request in
            try helper.terraform(operation, host: host, request: request)
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
