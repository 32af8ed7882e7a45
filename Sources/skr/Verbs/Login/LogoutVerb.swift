import CommandSupport

struct LogoutVerb: Verb {
    static let name = "logout"
    static let summary = "Delete an OAuth login and its token, and revoke it."
    static let details = """
        Deletes the login and the token of the account, in all namespaces that the sources file names for it, and then \
        asks the server to revoke the login. If the server can't be reached, that is a warning.

        The line of the sources file stays, so 'skr login NAME' logs in again.
        """

    static let examples = """
        skr logout work
        """

    private let target: TargetWords

    init(_ words: inout CommandWords) { target = TargetWords(&words) }

    func run() throws {
        let target = try target.target()
        try target.place.checkWrite(of: target.exactItem)
        var account: OAuthAccount?
        do throws(CommandError) {
            account = try OAuthAccount(service: target.service, account: target.account, in: target.place)
        } catch {
            // A sources file that can't be used keeps nobody from logging out.
            Console.warn(error)
        }
        let declared = account?.declared?.oauth
        let words = try (declared ?? .none).command(
            "logout", account?.item ?? target.exactItem, in: target.place,
            namespaces: account?.namespaces ?? [target.place.namespace],
            declared?.isGiven == true ? ["declared=yes"] : [])
        try Launch.become(CommandLineWords(leaking: words))
    }
}
