import ArgumentParser
import CommandSupport

struct BazelClient: HelperClient, ExampleCommand {
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
    static let words = HelperWords.options([], flags: [], behind: .nothing)
    static let errors = HelperErrors.onStandardError
    static let readingWord: String? = "get"

    @Argument(help: "get; Bazel passes it.", completion: .list(["get"]))
    var operation: String

    @OptionGroup var options: HelperOptions

    static func action(for call: HelperCall) -> any VerbAction {
        HelperAction(call: call, request: call.word == "get" ? .whole(isStoring: false) : .none) {
            call, helper, request in try helper.bazel(call.word, request: request)
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
