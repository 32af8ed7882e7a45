import CommandSupport

struct BazelClient: HelperClient {
    static let name = "bazel"
    static let aliases = ["buck2"]
    static let summary = "Headers for remote caches, for Bazel and Buck2."
    static let details = """
        Works as a credential helper of Bazel, which sends a URL. skr looks for an item whose service is that URL or \
        a parent of it, and takes the longest match. It returns an Authorization header or, without a match, no \
        header.

        An item with an account is a user's password (Basic); an item without one is a token (Bearer).
        """
    static let examples = """
        skr helper install bazel
        printf tok3n | skr set https://cache.example.com --timeout 8h
        echo '{"uri":"https://cache.example.com/x"}' | skr helper bazel get
        """

    static let start = HelperStart.link("skr-bazel", isFoundInPath: false, takesOptions: false)
    static let errors = HelperErrors.onStandardError

    private let options: HelperOptions
    private let operation: String

    init(_ words: inout CommandWords) {
        options = HelperOptions(&words)
        operation = words.word("OPERATION", "get; Bazel passes it.", .choice("get"))
    }

    func run() throws {
        let isReading = operation == "get"
        try options.call(of: Self.self).answer(isReading ? .whole(isStoring: false) : .none, isReading: isReading) {
            helper, request in try helper.bazel(operation, request: request)
        }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(words: "skr-bazel", files: [("", ".bazelrc")], unquoted: { [$0.linkPath] }) { call, file in
            [
                "in \(file):", "  common --credential_helper=*.example.com=\(call.linkPath)",
                "store the token under the URL of the cache; for a password, add the user's name:",
                call.storing("https://cache.example.com"),
            ]
        }
    }
}
