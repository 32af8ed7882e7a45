import CommandSupport
import CredentialHelpers

struct KeyringClient: HelperClient {
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
    static let errors = HelperErrors.onStandardError

    private let mode, output: String?
    private let options: HelperOptions
    private let operation, service: String
    private let user: String?

    init(_ words: inout CommandWords) {
        mode = words.choice(
            "--mode", value: "MODE", "password|creds", "For get: password, or creds to print the user too.")
        output = words.choice("--output", value: "FORM", "plain|json", "For get: plain or json.")
        options = HelperOptions(&words)
        operation = words.word("OPERATION", "get, set or del.", .choice("get|set|del"))
        service = words.word("SERVICE", "The URL of the index, or any other name.", .anyServices)
        user = words.optionalWord("USER", "The account; optional with 'get --mode creds'.")
    }

    func run() throws {
        let names = [service, user].compactMap(\.self).joined(separator: " ")
        let request: HelperRequest =
            operation == "set" ? .password(prompt: "password for \(Display.plain(names)): ") : .none
        try options.call(of: Self.self).answer(request, isReading: operation == "get") { helper, request in
            switch (operation, user) {
            case ("get", let user) where user != nil || form.hasUser:
                return try helper.keyringGet(service: service, user: user, form: form)
            case ("set", let user?): return try helper.keyringSet(service: service, user: user, password: request)
            case ("del", let user?): return try helper.keyringDelete(service: service, user: user)
            default:
                throw CommandError.usage(
                    "the helper for keyring takes get, set or del, then SERVICE and USER",
                    hint: "skr helper keyring get|set|del SERVICE USER, or get --mode creds SERVICE")
            }
        }
    }

    private var form: KeyringForm {
        let isJSON = output == "json"
        return mode == "creds" ? isJSON ? .credentialsJSON : .credentials : isJSON ? .passwordJSON : .password
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
