import CommandSupport

struct GitClient: HelperClient {
    static let name = "git"
    static let summary = "Passwords and tokens of https remotes, for git."
    static let details = """
        git asks skr before it prompts you. It tells skr to store a password that the server accepted, and to erase \
        one that the server refused.

        An item's service is the URL without its path and with the host in lower case (https://example.com); its \
        account is the user. With credential.useHttpPath, the service includes the path.

        A refresh token and an expiry are stored with the password. The refresh token lasts until --timeout, also \
        after the password's expiry.
        """
    static let examples = """
        skr helper install git --timeout 8h --write-config
        printf 'protocol=https\\nhost=example.com\\nusername=me\\npassword=x\\n' | skr helper git store
        printf 'protocol=https\\nhost=example.com\\n' | skr helper git get
        """

    static let start = HelperStart.link("git-credential-skr", isFoundInPath: false, takesOptions: true)
    static let errors = HelperErrors.onStandardError

    private let options: HelperOptions
    private let operation: String

    init(_ words: inout CommandWords) {
        options = HelperOptions(&words)
        operation = words.word(
            "OPERATION", "get, store, erase or capability; git passes it.", .choice("get|store|erase|capability"))
    }

    func run() throws {
        let request: HelperRequest =
            switch operation {
            case "get", "erase": .lines(isStoring: false)
            case "store": .lines(isStoring: true)
            default: .none
            }
        try options.call(of: Self.self).answer(request, isReading: operation == "get") { helper, request in
            try helper.git(operation, request: request)
        }
    }

    static func setup(of program: String) -> any ClientSetup { GitSetup() }
}
