import CProcess
import CommandSupport
import Glibc
import OAuth
import SecretText
import SessionKeyring
import SystemPackage

/// Runs `skr-oauth`, from the words of the command line to the exit code.
enum OAuthProgram {
    static func main(_ line: CommandLineWords) -> Int32 {
        keep_memory_private()
        // A reader that has gone must not end a refresh.
        signal(SIGPIPE, SIG_IGN)
        // Our descriptors must not have the numbers of closed standard ones.
        while case 0...STDERR_FILENO = unsafe open("/dev/null", O_RDWR | O_CLOEXEC) {}
        let call = ProgramCall(line)
        do {
            switch call.step {
            case "token": try printToken(call)
            case "login": try logIn(call)
            case "logout": try logOut(call)
            case "list": try list(call)
            default: throw ProgramCall.byHand
            }
            return ExitCode.done.rawValue
        } catch {
            let problem = CommandError(error, of: call.name)
            // skr itself reports that a login is needed.
            if call.step != "token" || error as? OAuthError != Refresh.noLogin { Console.report(problem) }
            return problem.exitCode.rawValue
        }
    }

    /// Refreshes the login, and prints the token for `skr`, which stores it.
    private static func printToken(_ call: ProgramCall) throws {
        let refresh = Refresh(
            of: try call.stored(), issuer: try call.value("issuer"), clientID: try call.value("client-id"),
            secret: try call.clientSecret(), CurlTransport.send, begin: begin)
        let token = try refresh.token()
        if token.isLast {
            let hint = "the next refresh needs 'skr login \(call.name)'"
            Console.warn("\(call.name): the login could not be stored", hint: hint)
        }
        try print(token)
    }

    /// Keeps signals, `skr` and its end from ending this process until the answer has been stored.
    private static func begin() throws(OAuthError) {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
        outlive_parent()
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        guard unsafe fcntl(STDOUT_FILENO, F_SETLK, &lock) == 0 || errno != EAGAIN && errno != EACCES else {
            throw OAuthError(.tryAgain, "this program is being ended")
        }
    }

    private static func print(_ token: AccessToken) throws {
        let json = SecretBytes { json in
            json.append("{\"access_token\":", quoting: token.text)
            json.append(",\"expires_in\":\(token.seconds)}\n")
        }
        try json.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
    }

    /// Logs in, stores the login, deletes the tokens of earlier ones, and prints the token for `skr`.
    private static func logIn(_ call: ProgramCall) throws {
        guard Executable.isThere("curl") else { throw Executable.failure(of: "curl", .noSuchFileOrDirectory) }
        let (secret, stored) = (try call.clientSecret(), try call.stored())
        try stored.reserve()
        let server = try AuthorizationServer(try call.value("issuer"), CurlTransport.send)
        let request = LoginRequest(
            server, clientID: try call.value("client-id"), secret: secret, scope: call.optional("oauth-scope"),
            resource: call.optional("resource"))
        var run = LoginRun(call, request)
        let tokens = try run.tokens()
        let user = server.userName(of: tokens, CurlTransport.send)
        try begin()
        let now = Int64(time(nil))
        let keptUntil = call.optional("keep").flatMap(Int64.init).map { now + $0 }
        let login = Login(tokens, request, user: user, keptUntil: keptUntil, at: now)
        try stored.replace(with: login)
        _ = try call.deleteTokens()
        let named = user.map { " as \($0)" } ?? ""
        let until = login.end.map { " for \(DurationText.rounded(.seconds($0 - now)))" } ?? ""
        Console.note("\(call.name): logged in\(named)\(until)")
        if tokens.refresh == nil {
            let isMissing = server.offersOfflineAccess && request.scope?.contains("offline_access") != true
            Console.warn(
                "\(call.name): the server gave no refresh token, so the login ends with the token",
                hint: isMissing ? "add offline_access to --oauth-scope" : nil)
        }
        try print(AccessToken(tokens, after: .now - run.sent, until: keptUntil))
    }

    /// Deletes the login and its tokens, and revokes it.
    private static func logOut(_ call: ProgramCall) throws {
        let login = try call.stored().replace(with: nil)
        guard login != nil || call.optional("declared") != nil else { throw Refresh.noLogin }
        // The server learns of the logout even if a token can't be deleted here.
        let deletion = Result { try call.deleteTokens() }
        if login == nil, try !deletion.get() { throw Refresh.noLogin }
        let problem =
            login.map { $0.problem(revoking: $0.refreshToken, secret: try? call.clientSecret(), CurlTransport.send) }
            ?? "only a token was left, which it accepts until its end"
        if let problem { Console.warn("\(call.name): logged out here, but not on the server: \(problem)") }
        _ = try deletion.get()
    }

    /// Lists the logins of a scope: service, account, issuer, user, and the time left.
    private static func list(_ call: ProgramCall) throws {
        let store = try call.store(StoredLogin.namespace)
        let logins = try store.identities().filter { $0.kind == .credential }.compactMap { item -> [String]? in
            // Another user's key hides only itself.
            guard let login = try? StoredLogin(store, service: item.service, account: item.account).read() else {
                return nil
            }
            let left = login.end.map { DurationText.rounded(.seconds($0 - Int64(time(nil)))) } ?? "-"
            return [item.service, item.account, login.issuer, login.user ?? "", left].map(Display.plain)
        }
        let rows = logins.sorted { $0.joined(separator: "\t") < $1.joined(separator: "\t") }
        guard Console.isOutputTerminal else {
            return try Console.write(rows.map { $0.joined(separator: "\t") + "\n" }.joined())
        }
        guard !rows.isEmpty else { return Console.note("no logins", hint: "'skr help login' shows how to log in") }
        let columns = ["SERVICE", "ACCOUNT", "ISSUER", "USER", "TIME LEFT"].map {
            TextTable.Column($0, isNumber: false, rank: $0 == "SERVICE" ? 1 : 0, isName: true)
        }
        try Console.write(TextTable(columns: columns, rows: rows).text(width: TerminalWidth.of(STDOUT_FILENO)))
    }
}

extension CommandError {
    /// - Parameter name: the account.
    fileprivate init(_ error: any Error, of name: String) {
        if let error = error as? CommandError {
            self = error
        } else if let error = error as? OAuthError ?? (error as? SecretStoreError).map(OAuthError.init) {
            let exitCode: CommandSupport.ExitCode =
                switch error.code {
                case .loginNeeded, .refused, .denied: .noItem
                case .flowRefused, .noPermission: .noPermission
                case .tryAgain: .tryAgain
                case .unavailable: .unavailable
                case .unusable: .data
                }
            let subject = name.isEmpty ? "" : "\(name): "
            self.init(exitCode: exitCode, message: subject + error.reason, hint: error.hint)
        } else {
            self = .internalError("\(name): \(error)", hint: nil)
        }
    }
}
