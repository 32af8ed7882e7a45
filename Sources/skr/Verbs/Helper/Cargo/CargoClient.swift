import CommandSupport

struct CargoClient: HelperClient {
    static let name = "cargo"
    static let summary = "Tokens of registries, for cargo."
    static let details = """
        Works as a credential provider of cargo 1.74 and later. 'cargo login' stores the token in the keyring; 'cargo publish' \
        and private registries read it from there.

        An item's service is the URL of the registry's index in cargo's form (sparse+https://...); it has no account. cargo \
        sends each request as one line of JSON.
        """
    static let examples = """
        skr helper install cargo
        printf tok3n | skr set sparse+https://cargo.example.com/index/ --timeout 8h
        skr helper cargo --cargo-plugin </dev/null
        """

    static let start = HelperStart.link("cargo-credential-skr", isFoundInPath: true, takesOptions: false)
    static let errors = HelperErrors.onStandardError

    let options: HelperOptions
    private let started: [String]

    init(_ words: inout CommandWords) {
        started = words.strings
        _ = words.flag("--cargo-plugin", "cargo passes this flag; skr ignores it.")
        options = HelperOptions(&words)
    }

    func run() throws {
        // A bad place is an error before the conversation begins.
        _ = try options.call(of: Self.self)
        try CargoSession(started: started).run()
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(
            words: "cargo-credential-skr",
            files: [("CARGO_HOME/config", ".cargo/config"), ("CARGO_HOME/config.toml", ".cargo/config.toml")],
            readsOneFile: true
        ) { _, file in
            [
                "in \(file):", "  [registry]", "  global-credential-providers = [\"cargo-credential-skr\"]",
                "cargo then ignores tokens in its own files; run 'cargo login' to store a token in the keyring",
            ]
        }
    }
}
