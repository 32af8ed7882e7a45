import CommandSupport
import CredentialHelpers

struct NpmClient: HelperClient {
    static let name = "npm"
    static let aliases = ["pnpm"]
    static let summary = "Tokens of registries, for npm and pnpm."
    static let details = """
        Works as a tokenHelper in .npmrc. pnpm supports tokenHelper; npm supports it only in some versions.

        A tokenHelper takes no arguments, so the name of the link selects the item: skr-npm-work reads the item \
        'work'. To use CMD, set tokenHelper to a script that runs 'skr helper npm NAME -- CMD'.

        An item without an account is a token (Bearer); an item with an account is that user's password (Basic).

        \(TokenWords.details)

        'skr cached --forget NAME --key npm' deletes the kept output; with ACCOUNT, add --key ACCOUNT.
        """
    static let examples = """
        skr helper install npm work
        printf tok3n | skr set work --timeout 8h
        skr helper npm work
        """

    static let start = HelperStart.linkPerRegistry("skr-npm-")
    static let errors = HelperErrors.onStandardError

    private let token: TokenWords

    init(_ words: inout CommandWords) { token = TokenWords(&words) }

    func run() throws { try token.call(of: Self.self).answer { NpmAuthorization() } }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(words: "skr-npm-", files: [("NPM_CONFIG_USERCONFIG", ".npmrc")]) { call, file in
            let name = call.registry ?? "work"
            return [
                "in \(file), for that registry:", "  //registry.example.com/:tokenHelper=\(call.linkPath)",
                "store the token in the item '\(name)'; for a password, add the user's name:", call.storing(name),
            ]
        }
    }
}
