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
        var (name, isToken) = ("", false)
        do throws(CommandError) {
            let call = try ProgramCall(line)
            (name, isToken) = (call.name, call.step == "token")
            switch call.step {
            case "token": try printToken(call)
            case "login": try logIn(call)
            case "logout": try logOut(call)
            case "list": try list(call)
            default: throw ProgramCall.byHand
            }
            return ExitCode.done.rawValue
        } catch {
            // skr itself reports that a login is needed.
            if !isToken || error.message != "\(name): not logged in" { Console.report(error) }
            return error.exitCode.rawValue
        }
    }

    /// Converts the errors of an account.
    private static func naming<Result>(
        _ call: ProgramCall, _ body: () throws(OAuthError) -> Result
    ) throws(CommandError) -> Result {
        do throws(OAuthError) {
            return try body()
        } catch {
            throw CommandError(error, of: call.name)
        }
    }

    /// Refreshes the login, and prints the token for `skr`, which stores it.
    private static func printToken(_ call: ProgramCall) throws(CommandError) {
        try CurlTransport.check()
        let refresh = Refresh(
            of: try call.stored(), issuer: try call.value("issuer"), clientID: try call.value("client-id"),
            secret: try call.clientSecret(), CurlTransport().send, begin: begin)
        let token = try naming(call) { () throws(OAuthError) in try refresh.token() }
        if token.isLast {
            Console.warn("\(call.name): the login could not be stored", hint: "log in again before the token ends")
        }
        try print(token)
    }

    /// Keeps signals and `skr` from ending this process until the answer has been stored.
    private static func begin() throws(OAuthError) {
        var ends = sigset_t()
        unsafe sigemptyset(&ends)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { unsafe sigaddset(&ends, number) }
        unsafe sigprocmask(SIG_BLOCK, &ends, nil)
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        guard unsafe fcntl(STDOUT_FILENO, F_SETLK, &lock) == 0 || errno != EAGAIN && errno != EACCES else {
            throw OAuthError(.tryAgain, "the refresh was ended before it began")
        }
    }

    private static func print(_ token: AccessToken) throws(CommandError) {
        let json = SecretBytes { json in
            json.append("{\"access_token\":", quoting: token.text)
            json.append(",\"expires_in\":\(token.seconds)}\n")
        }
        try json.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
    }

    /// Logs in, stores the login, deletes the tokens of earlier ones, and prints the token for `skr`.
    private static func logIn(_ call: ProgramCall) throws(CommandError) {
        try CurlTransport.check()
        let (secret, issuer, clientID) = (
            try call.clientSecret(), try call.value("issuer"), try call.value("client-id")
        )
        let terminal = LoginTerminal()
        let transport = CurlTransport(interruption: terminal.signals).send
        let (server, tokens, start): (AuthorizationServer, IssuedTokens, ContinuousClock.Instant)
        let client: OAuthClient
        do throws(CommandError) {
            (server, client, tokens, start) = try naming(call) { () throws(OAuthError) in
                let server = try AuthorizationServer(issuer, transport)
                let client = OAuthClient(id: clientID, secret: secret, of: server)
                var run = LoginRun(call, server, client, terminal, transport)
                return (server, client, try run.tokens(), .now)
            }
        } catch {
            terminal.endIfSignalled()
            throw error
        }
        try keep(tokens, server, client, call, at: start, transport)
    }

    /// Stores a login, and prints its token.
    private static func keep(
        _ tokens: IssuedTokens, _ server: AuthorizationServer, _ client: OAuthClient, _ call: ProgramCall,
        at start: ContinuousClock.Instant, _ transport: Transport
    ) throws(CommandError) {
        let now = Int64(time(nil))
        let user = User.name(of: tokens, server, transport)
        let keptUntil = call.optional("keep").flatMap { Int64($0) }.map { now + $0 }
        let login = Login(
            tokens, server, client, scope: call.optional("oauth-scope"), resource: call.optional("resource"),
            user: user, keptUntil: keptUntil, at: now)
        let stored = try call.stored()
        try ProgramCall.storing { () throws(SecretStoreError) in try stored.replace(with: login) }
        try call.deleteTokens()
        let named = user.map { " as \($0)" } ?? ""
        let until = login?.end.map { " for \(DurationText.rounded(.seconds($0 - now)))" } ?? ""
        Console.note("\(call.name): logged in\(named)\(until)")
        if login == nil {
            let isOffered = server.scopes?.contains { $0 == "offline_access" } == true
            Console.warn(
                "\(call.name): the server gave no refresh token, so the login ends with the token",
                hint: isOffered ? "add offline_access to --oauth-scope" : nil)
        }
        try print(AccessToken(tokens, after: .now - start, until: keptUntil))
    }

    /// Deletes the login and its tokens, and revokes it.
    private static func logOut(_ call: ProgramCall) throws(CommandError) {
        let stored = try call.stored()
        let login = try ProgramCall.storing { () throws(SecretStoreError) in try stored.remove() }
        try call.deleteTokens()
        guard let login else {
            throw CommandError(exitCode: .noItem, message: "\(call.name): not logged in", hint: nil)
        }
        if let problem = problem(revoking: login, call) {
            Console.warn("\(call.name): logged out here, but not on the server: \(problem)")
        }
    }

    /// Revokes the refresh token; returns the reason if that was not possible.
    private static func problem(revoking login: Login, _ call: ProgramCall) -> String? {
        do throws(CommandError) {
            try CurlTransport.check()
            let client = login.client(try call.clientSecret())
            guard let request = login.revoking(login.refreshToken, as: client) else { return "it can't revoke logins" }
            return switch CurlTransport().send(request, { _ in }) {
            case .answer(200, _): nil
            case .answer(let status, _): "it answered with status \(status)"
            case .notSent(let reason), .unknown(let reason): reason
            }
        } catch {
            return error.message
        }
    }

    /// Lists the logins of a scope: service, account, issuer, user, and the time left.
    private static func list(_ call: ProgramCall) throws(CommandError) {
        let store = try call.store(StoredLogin.namespace)
        let rows = try ProgramCall.storing { () throws(SecretStoreError) in
            var rows: [[String]] = []
            for item in try store.identities() where item.kind == .credential {
                let stored = StoredLogin(store, service: item.service, account: item.account)
                guard let login = try stored.read() else { continue }
                let left = login.end.map { DurationText.rounded(.seconds($0 - Int64(time(nil)))) } ?? "-"
                rows.append([item.service, item.account, login.issuer, login.user ?? "", left].map(Display.plain))
            }
            return rows.sorted { $0.joined(separator: "\t") < $1.joined(separator: "\t") }
        }
        guard Console.isOutputTerminal else {
            return try Console.write(rows.map { $0.joined(separator: "\t") + "\n" }.joined())
        }
        guard !rows.isEmpty else { return Console.note("no logins", hint: "'skr login' shows how to log in") }
        let columns = ["SERVICE", "ACCOUNT", "ISSUER", "USER"].map {
            TextTable.Column($0, isNumber: false, rank: $0 == "SERVICE" ? 1 : 0, isName: true)
        }
        let table = TextTable(columns: columns + [.init("TIME LEFT", rank: 1)], rows: rows)
        try Console.write(table.text(width: TerminalWidth.of(STDOUT_FILENO)))
    }
}
