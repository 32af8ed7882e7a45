import CommandSupport
import Glibc
import Keyutils
import SecretText
import SessionKeyring

struct LoginVerb: Verb {
    static let name = "login"
    static let summary = "Log in with OAuth once, and always have a valid token."
    static let details = """
        After a login, 'skr get NAME' and everything else that reads NAME gets a valid access token; one process \
        refreshes it for all. The login is in the kernel keyring, and by default ends with the session.

        The first login names the server and the client, and adds a line with --oauth to the sources file. In the \
        next session, 'skr login NAME' is enough. If a reader ends with exit code 1, a login is needed.

        On this machine's screen, login opens a browser. Over ssh, it shows a code for another device, and an address \
        for any browser; paste the address of the last page. See the guide for servers such as GitHub.
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
            guard service == nil else {
                throw CommandError.usage("--list lists all accounts", hint: "leave out the service")
            }
            let words = try oauth.command("list", .password(service: ""), in: place, namespaces: [])
            try Launch.become(CommandLineWords(leaking: words))
        }
        guard let service else {
            throw CommandError.usage(
                "no SERVICE is given",
                hint: "'skr login SERVICE --issuer URL --client-id ID' logs in; 'exec skr session' starts a session")
        }
        try Target.requireService(service)
        let account = try OAuthAccount(service: service, account: account, in: place)
        let source = try source(of: account)
        let store = try place.store()
        try place.checkWrite(of: account.item)
        try place.warnIfShared(in: store)
        try check(account, in: store)
        let flow = isDevice ? ["flow=device"] : isBrowser ? ["flow=browser"] : isPaste ? ["flow=paste"] : []
        let words = try source.oauth.command(
            "login", account.item, in: place, namespaces: account.namespaces,
            flow + (printsAddress ? ["print-url=yes"] : []))
        let printed = try token(from: CommandLineWords(leaking: words))
        if account.declared == nil { try declare(account, source.oauth) }
        let (output, timeout) = try source.answer(fresh: printed, keptFor: source.timeout?.duration)
        guard timeout.map({ $0 > .zero }) ?? true else { return }
        do throws(SecretStoreError) {
            // A reader can have been faster, with a later token.
            try store.add(output.bytes.bytes, for: account.item, lasting: Lifetime(timeout))
        } catch {
            if error.code != .duplicate { Console.warn(CommandError(notKeptBecause: error)) }
        }
    }

    /// Returns the account as a source: its line, or the one that these options make.
    private func source(of account: OAuthAccount) throws(CommandError) -> Source {
        if let declared = account.declared {
            guard declared.oauth.isGiven, oauth.isEmpty || oauth == declared.oauth else {
                throw .usage(
                    "\(account.name): line \(declared.line) of the sources file declares it differently",
                    hint: "change or remove that line, or leave out the options")
            }
            return declared
        }
        guard oauth.isGiven else {
            throw .usage(
                "\(account.name): no line of the sources file declares it",
                hint: "skr login \(Display.shellWord(account.item.service)) --issuer https://... --client-id ID")
        }
        do throws(InputProblem) {
            var words = ShellWords(Array(account.line(oauth).utf8)[...])
            if let source = try Source(&words, line: 0), source.item == account.item { return source }
        } catch {
            throw .usage(error.summary, hint: error.hint)
        }
        throw .usage("\(account.name): no line can have this name", hint: "use a name without a dash at its beginning")
    }

    /// Checks that the login replaces no other secret, unless that is the token of an earlier login.
    private func check(_ account: OAuthAccount, in store: SecretStore) throws {
        guard account.declared == nil, try store.hasSecret(of: account.item) else { return }
        let logins = try SecretStore(account.place.secretScope, namespace: OAuthOptions.namespace)
        guard try !logins.contains(.credential(service: account.item.service, account: account.item.account)) else {
            return
        }
        throw CommandError(
            exitCode: .cannotCreate, message: "\(account.name): there is a secret with this name",
            hint: "choose another name, or delete the secret")
    }

    /// Runs the login, and returns what it has printed.
    private func token(from words: CommandLineWords) throws(CommandError) -> SecretBox {
        let terminal = TerminalModes()
        let signals = BlockedSignals()
        let renewer = LeaseRenewer(FetchLease.none, lasting: OutputRequest.leaseDuration)
        var run = try CapturedOutput(of: words, ChildSettings(), input: nil, holding: signals, renewer: renewer)
        let output = try run.readAll()
        let end = run.waitForEnd()
        terminal?.restore()
        // After an error, the program has reported it.
        if end.exitCode != 0 { end.isInterrupted ? end.endWithSignal() : end.propagate() }
        return SecretBox(output)
    }

    /// Appends the account's line to the sources file, or prints it.
    private func declare(_ account: OAuthAccount, _ options: OAuthOptions) throws(CommandError) {
        let line = account.line(options)
        do throws(CommandError) {
            let isUsual = try Variable.value(SourcesFile.variable) == nil
            if isUsual, let path = try SourcesFile.usualPath() {
                try SourcesFile.append(line, for: account.item, in: account.place, to: path)
                Console.note("for the next session, \(Display.quoted(path)) has a line for this account")
                if case .failure(let problem) = Result(catching: SourcesFile.read) { Console.warn(problem) }
                return
            }
        } catch {
            Console.warn(error)
        }
        Console.note("for the next session, add this line to your sources file: \(line)")
    }
}
