import ArgumentParser
import CommandSupport
import CredentialHelpers

struct NpmClient: HelperClient, ExampleCommand {
    static let name = "npm"
    static let aliases = ["pnpm"]
    static let summary = "Tokens of registries, for npm and pnpm."
    static let details = """
        Answers a tokenHelper of .npmrc, which pnpm knows. Its program has no arguments, so the link's name has the item's: \
        skr-npm-work answers with the item 'work'.

        An item without an account is a token, one with an account the password of that user.

        \(TokenArguments.details) 'skr cached --forget NAME --key npm' drops it.
        """
    static let examples = """
        skr helper install npm work
        printf tok3n | skr set work --timeout 8h
        skr helper npm work
        """

    static let start = HelperStart.linkPerRegistry("skr-npm-")
    static let words = HelperWords.options([], flags: [], behind: .command)
    static let errors = HelperErrors.onStandardError

    @OptionGroup var arguments: TokenArguments

    static func action(for call: HelperCall) throws(CommandError) -> any VerbAction {
        try TokenCall(call).action { NpmAuthorization() }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup("skr-npm-", files: [("NPM_CONFIG_USERCONFIG", ".npmrc")]) { call, file in
            ["in \(file), for that registry:", "  //registry.example.com/:tokenHelper=\(call.linkPath)"]
        }
    }
}
