import CommandSupport
import SessionKeyring

/// The options that describe an OAuth account, on a line of the sources file and for `skr login`.
struct OAuthOptions: Equatable {
    let issuer, clientID: String?
    private let clientSecret, scope, resource, redirect: String?
    private let keep: Duration?
    private let parameters: [String]

    /// - Parameter issuer: the name of the option that has the issuer.
    init(_ words: inout CommandWords, issuer: String) {
        self.issuer = words.option(issuer, value: "URL", "The OAuth server that issues the tokens: its issuer.")
        clientID = words.option("--client-id", value: "ID", "The client ID that is registered at the server.")
        clientSecret = words.option(
            "--client-secret", value: "REF", "The item with the client's secret: skr://SERVICE.")
        scope = words.option("--oauth-scope", value: "SCOPES", "The access to ask for, such as 'openid email'.")
        resource = words.option("--resource", value: "URL", "The server that gets the token (RFC 8707).")
        redirect = words.option(
            "--redirect", value: "URL",
            "The address to which the browser returns. By default http://127.0.0.1/ and a free port.")
        keep = words.duration("--keep", "End the login after this time, even if it is used.")
        parameters = words.options(
            "--auth-parameter", value: "NAME=VALUE", "A further parameter for the login page, such as prompt=consent.")
        if let keep, !TimeoutArgument.after(keep).isPossible {
            words.fail("--keep must be 1 to 4294967295 seconds", hint: "write it as \(DurationText.forms)")
        }
    }

    /// Checks the values for an account.
    func check() throws(InputProblem) {
        guard isEmpty || issuer != nil && clientID != nil else {
            throw InputProblem(
                summary: "an OAuth account needs its issuer and --client-id",
                hint: "name the server, and the client ID that is registered there")
        }
        guard clientSecret.map({ SecretReference.begins($0.utf8) }) ?? true else {
            throw InputProblem(
                summary: "--client-secret is not a reference",
                hint: "store it, and name it: --client-secret skr://SERVICE")
        }
        guard parameters.allSatisfy({ $0.utf8.dropFirst().contains(UInt8(ascii: "=")) }) else {
            throw InputProblem(summary: "--auth-parameter is not NAME=VALUE", hint: "write it as prompt=consent")
        }
    }

    /// No options.
    static var none: OAuthOptions {
        var words = CommandWords([])
        return OAuthOptions(&words, issuer: "--oauth")
    }

    var isGiven: Bool { issuer != nil }

    /// Whether none of the options is given.
    var isEmpty: Bool { issuer == nil && fields.isEmpty }

    /// The options as names and values, in the form of `skr-oauth` and without the dashes.
    private var fields: [(name: String, value: String)] {
        let single = [
            ("client-id", clientID), ("client-secret", clientSecret), ("oauth-scope", scope), ("resource", resource),
            ("redirect", redirect), ("keep", keep.map { "\($0.components.seconds)" }),
        ]
        return single.compactMap { name, value in value.map { (name, $0) } } + parameters.map { ("auth-parameter", $0) }
    }

    /// The words of a line of the sources file.
    var lineWords: [String] {
        ([("oauth", issuer ?? "")] + fields).flatMap { PlaceOptions.words("--\($0.0)", $0.1) }
    }

    /// Returns the words that run a step of `skr-oauth` for an account.
    ///
    /// - Parameter namespaces: the namespaces that have the account's token, beginning with that of the caller.
    func command(
        _ step: String, _ item: ItemIdentity, in place: Place, namespaces: [String], _ more: [String] = []
    ) throws(CommandError) -> [String] {
        let program = try SiblingProgram.path(of: Self.program)
        let scope = place.secretScope == .sharedSession ? "shared" : place.scope.rawValue
        return [program, step, "service=\(item.service)", "account=\(item.account)", "scope=\(scope)"]
            + namespaces.map { "namespace=\($0)" } + (issuer.map { ["issuer=\($0)"] } ?? [])
            + fields.map { "\($0.name)=\($0.value)" } + more
    }

    /// The program that logs in and refreshes.
    static let program = "skr-oauth"
    /// The namespace of the logins, which has no tokens.
    static let namespace = "oauth"
}
