import CommandSupport
import Glibc
import Keyutils
import SecretText
import SessionKeyring

struct LoginVerb: Verb {
    static let name = "login"
    static let summary = "Log in with OAuth once, and always have a valid token."
    static let details = """
        After a login, 'skr get NAME' and everything else that reads NAME gets a valid access token. If the token has \
        ended, one process refreshes it for all. The login is in the kernel keyring, and ends with the session.

        The first login names the server and the client, and adds a line with --oauth to the sources file. In the \
        next session, 'skr login NAME' is enough. Exit code 1 of a reader means that a login is needed.

        On this machine's screen, login opens a browser. Over ssh, it shows a page and a code for any other device, \
        and an address for a browser of which you paste the last address. If the server refuses one way, login \
        uses the other one.

        For github.com, the issuer is https://github.com. The scope offline_access is never added by itself.
        """

    static let examples = """
        skr login work --issuer https://id.example.com --client-id skr --oauth-scope 'openid offline_access'
        skr login work
        skr get work
        skr login --list
        """

    private let oauth: OAuthOptions
    private let isDevice, isBrowser, isPaste, printsAddress, isList: Bool
    private let place: PlaceOptions
    private let service, account: String?

    init(_ words: inout CommandWords) {
        oauth = OAuthOptions(&words, issuer: "--issuer")
        isDevice = words.flag("--device", "Log in on another device, with a code.")
        isBrowser = words.flag("--browser", "Log in with a browser on this machine.")
        isPaste = words.flag("--paste", "Log in with any browser, and paste its last address.")
        printsAddress = words.flag("--print-url", "Print the address on standard error, and open no browser.")
        isList = words.flag("--list", "List the accounts with their issuers, users and time left.")
        place = PlaceOptions(&words)
        service = words.optionalWord("SERVICE", "The service that the token is for.", .services)
        account = words.optionalWord("ACCOUNT", "The account, if the service has several.", .accounts)
        if [isDevice, isBrowser, isPaste].count(where: \.self) > 1 {
            words.fail("--device, --browser and --paste exclude each other", hint: "leave out all but one")
        }
    }

    func run() throws {
        let place = try place.place()
        if isList {
            let words = try oauth.command("list", .password(service: ""), in: place, namespaces: [])
            try Launch.become(CommandLineWords(leaking: words))
        }
        guard let service else {
            throw CommandError.usage(
                "no SERVICE is given",
                hint: "'skr login SERVICE --issuer URL --client-id ID' logs in; 'exec skr session' starts a session")
        }
        let account = try OAuthAccount(service: service, account: account, in: place)
        let (source, line) = try source(of: account)
        let store = try place.store()
        try place.warnIfShared(in: store)
        if account.declared == nil, try store.hasSecret(of: account.item) {
            throw CommandError(
                exitCode: .cannotCreate, message: "\(account.name): there is a secret with this name",
                hint: "choose another name, or delete the secret: skr delete \(source.typedName)")
        }
        let flow = isDevice ? ["flow=device"] : isBrowser ? ["flow=browser"] : isPaste ? ["flow=paste"] : []
        let words = try source.oauth.command(
            "login", account.item, in: place, namespaces: account.namespaces,
            flow + (printsAddress ? ["print-url=yes"] : []))
        let printed = try token(from: words)
        // The length of the token's life is limited as for each later one.
        let (output, timeout) = try source.answer(fresh: printed, keptFor: source.timeout?.duration)
        if let timeout, timeout > .zero {
            try store.set(output.bytes.bytes, for: account.item, lasting: Lifetime(timeout))
        }
        try line?.append()
    }

    /// Returns the account as a source, with the options of this call, and the line to append, if any.
    private func source(of account: OAuthAccount) throws(CommandError) -> (Source, DeclaredLine?) {
        var options = oauth
        if let declared = account.declared {
            options = oauth.completed(by: declared.oauth)
            let isSame = declared.oauth.issuer.map { $0 == options.issuer ?? "" } ?? false
            guard isSame, declared.oauth.clientID.map({ $0 == options.clientID ?? "" }) ?? false else {
                throw .usage(
                    "\(account.name): line \(declared.line) of the sources file has another source for it",
                    hint: "change or remove that line, or use another name")
            }
        }
        guard options.isGiven, options.clientID != nil else {
            let missing = options.isGiven ? "--client-id ID" : "--issuer URL --client-id ID"
            throw .usage(
                "\(account.name): the sources file doesn't declare it, and \(missing) is missing",
                hint: "skr login \(Display.shellWord(account.item.service)) --issuer https://... --client-id ID")
        }
        guard let line = DeclaredLine(account, options) else {
            throw .usage("no line of the sources file can have this name", hint: "use a name without a dash or newline")
        }
        return (try line.source(), account.declared == nil ? line : nil)
    }

    /// Runs the login, and returns what it has printed.
    private func token(from words: [String]) throws(CommandError) -> SecretBox {
        // The terminal's signals reach the program, which restores the terminal's modes.
        var (signals, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGQUIT] where !SignalAction.isIgnored(number) { unsafe sigaddset(&signals, number) }
        unsafe sigprocmask(SIG_BLOCK, &signals, &before)
        defer { unsafe sigprocmask(SIG_SETMASK, &before, nil) }
        let run = try ToolRun(words)
        guard run.exitCode == 0 else {
            // It has reported its error.
            unsafe sigprocmask(SIG_SETMASK, &before, nil)
            exit(run.exitCode)
        }
        return SecretBox(run.output.withBytes { SecretBytes(copying: $0) })
    }
}
