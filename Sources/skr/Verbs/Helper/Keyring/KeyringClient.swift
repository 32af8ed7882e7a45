import ArgumentParser
import CommandSupport
import CredentialHelpers

struct KeyringClient: HelperClient, ExampleCommand {
    static let name = "keyring"
    static let aliases = ["pip", "uv", "twine"]
    static let summary = "Passwords of package indexes, for pip, uv and twine."
    static let details = """
        Replaces Python's program 'keyring', which pip and uv start. twine uses Python's keyring, for which skr has a \
        backend. 'skr helper install twine' shows how to choose it.

        An item's service is the URL of the index; a slash at its end makes no difference. If a URL has no item, skr uses \
        the item of its host (https://HOST). A service that is not a URL works too. USER is the account.
        """
    static let examples = """
        skr helper install keyring
        echo x | skr helper keyring set https://pypi.example.com/simple me
        skr helper keyring get https://pypi.example.com/simple me
        """

    static let start = HelperStart.link("keyring", isFoundInPath: true, takesOptions: false)
    static let words = HelperWords.options(["--mode", "--output"], flags: [], behind: .names)
    static let errors = HelperErrors.onStandardError
    static let readingWord: String? = "get"

    @Argument(help: "get, set or del.", completion: .list(["get", "set", "del"]))
    var operation: String

    @Argument(help: "The URL of the index, or any other name.", completion: .names(.anyServices))
    var service: String

    @Argument(help: "The account; optional with 'get --mode creds'.")
    var user: String?

    @Option(help: "For get: password, or creds to print the user too.", completion: .list(["password", "creds"]))
    var mode: String?

    @Option(help: "For get: plain or json.", completion: .list(["plain", "json"]))
    var output: String?

    @OptionGroup var options: HelperOptions

    static func action(for call: HelperCall) -> any VerbAction {
        let names = call.words.dropFirst().joined(separator: " ")
        let request: HelperRequest =
            call.word == "set" ? .password(prompt: "password for \(Display.plain(names)): ") : .none
        return HelperAction(call: call, request: request) { call, helper, request in
            let words = call.words
            let form = try form(of: call)
            switch (words.first, words.count) {
            case ("get", 3): return try helper.keyringGet(service: words[1], user: words[2], form: form)
            case ("get", 2) where form.hasUser: return try helper.keyringGet(service: words[1], user: nil, form: form)
            case ("set", 3): return try helper.keyringSet(service: words[1], user: words[2], password: request)
            case ("del", 3): return try helper.keyringDelete(service: words[1], user: words[2])
            default:
                throw CommandError.usage(
                    "the helper for keyring takes get, set or del, then SERVICE and USER",
                    hint: "skr helper keyring get|set|del SERVICE USER, or get --mode creds SERVICE")
            }
        }
    }

    private static func form(of call: HelperCall) throws(CommandError) -> KeyringForm {
        switch (call.option("--mode") ?? "password", call.option("--output") ?? "plain") {
        case ("password", "plain"): return .password
        case ("password", "json"): return .passwordJSON
        case ("creds", "plain"): return .credentials
        case ("creds", "json"): return .credentialsJSON
        default:
            throw .usage(
                "unknown output: --mode \(Display.quoted(call.option("--mode") ?? "password")), "
                    + "--output \(Display.quoted(call.option("--output") ?? "plain"))",
                hint: "use --mode password|creds and --output plain|json")
        }
    }

    static func setup(of program: String) -> any ClientSetup { program == "twine" ? python : subprocess }

    /// The setup of programs that use Python's keyring.
    private static let python = ShownSetup(
        words: "skr_keyring",
        files: [("XDG_CONFIG_HOME/python_keyring/keyringrc.cfg", ".config/python_keyring/keyringrc.cfg")],
        variables: ["PYTHON_KEYRING_BACKEND"]
    ) { _, file in
        [
            "to use the backend for Python's keyring, which is in skr's Debian package:",
            "  export PYTHON_KEYRING_BACKEND=skr_keyring.Keyring", "or in \(file):", "  [backend]",
            "  default-keyring=skr_keyring.Keyring", "store the password:",
            "  python3 -m keyring set https://upload.pypi.org/legacy/ __token__",
        ]
    }

    private static let subprocess = ShownSetup(
        words: "subprocess",
        files: [
            ("PIP_CONFIG_FILE", ".config/pip/pip.conf"), ("XDG_CONFIG_HOME/pip/pip.conf", ".config/pip/pip.conf"),
        ],
        variables: ["UV_KEYRING_PROVIDER", "PIP_KEYRING_PROVIDER"]
    ) { _, _ in
        [
            "to let pip and uv ask the first 'keyring' in PATH:",
            "  pip config set global.keyring-provider subprocess", "  export UV_KEYRING_PROVIDER=subprocess",
            "store the password; in the URL of the index, name the user: https://alice@pypi.example.com/simple/",
            "  keyring set https://pypi.example.com/simple/ alice",
        ]
    }
}
