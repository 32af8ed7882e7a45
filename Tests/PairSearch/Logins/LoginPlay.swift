import Keyutils
import OAuth
import SecretText
import SessionKeyring
import StressSuite

/// Two operations on the login of an account, and their server.
struct LoginPlay: Play {
    /// The report of a process.
    private struct Report: BitwiseCopyable {
        var answer = SharedText()
        /// Whether the server has acted on the process's request.
        var hasActed = false
        var invoked: UInt64 = 0
        var returned: UInt64 = 0
    }

    private let series: LoginSeries
    private let server = TokenServer()
    private let stores: [SecretStore]
    private let observer: SecretStore
    private let reports = [Shared(Report()), Shared(Report())]

    /// A refresh's lease lasts for 45 seconds, so no series waits for its end.
    let outlasting: UInt32 = 0

    init(_ series: LoginSeries) throws {
        self.series = series
        let scope = SecretScope.keyring(try SessionMembership.joinAnonymous().addKeyring("pairs").serial)
        func makeStore() throws -> SecretStore { try SecretStore(scope, namespace: StoredLogin.namespace) }
        observer = try makeStore()
        stores = [try makeStore(), try makeStore()]
        guard series.state != .absent else { return }
        try Self.stored(observer).replace(with: TokenServer.login(1))
        if series.state == .marked {
            _ = try? refresh(in: observer) { _, _ in .unknown(reason: "interrupted") }
        }
    }

    private static func stored(_ store: SecretStore) -> StoredLogin {
        StoredLogin(store, service: "work", account: "me")
    }

    private func refresh(in store: SecretStore, _ transport: @escaping Transport) throws(OAuthError) -> String {
        let refresh = Refresh(
            of: Self.stored(store), issuer: TokenServer.issuer, clientID: TokenServer.clientID, secret: nil, transport)
        return try refresh.token().text.text ?? ""
    }

    private func operation(_ index: Int) -> LoginOperation { index == 0 ? series.first : series.second }

    func run(_ index: Int, begin: () -> Void) {
        begin()
        let report = reports[index]
        report.value.invoked = MonotonicTime.now
        do {
            report.value.answer.text = try perform(index) ?? "done"
        } catch let error as OAuthError {
            report.value.answer.text = error.code == .loginNeeded ? "login needed" : "failed: \(error.reason)"
        } catch {
            report.value.answer.text = "failed: \(error)"
        }
        report.value.returned = MonotonicTime.now
    }

    private func perform(_ index: Int) throws -> String? {
        let stored = Self.stored(stores[index])
        let transport = server.transport { reports[index].value.hasActed = true }
        switch operation(index) {
        case .refresh: return try refresh(in: stores[index], transport)
        case .login: try stored.replace(with: TokenServer.login(index + 2))
        case .logout:
            guard let login = try stored.replace(with: nil) else { return "none" }
            _ = login.problem(revoking: login.refreshToken, secret: nil, transport)
        case .clear: try stores[index].clear()
        case .blindRefresh: return try Defects.refresh(stored, stores[index], transport)
        }
        return nil
    }

    // MARK: - Checks

    func problems(of meeting: Meeting) throws -> [String] {
        let isKilled = meeting.killedAt != nil
        let (first, second) = (reports[0].value, reports[1].value)
        let lost = isKilled && series.first == .refresh && first.hasActed
        var problems: [String] = []
        for (index, report) in [first, second].enumerated() where !(index == 0 && isKilled) {
            problems += answerProblems(index, report.answer.text, mayBeLost: lost)
        }
        if server.reuses > (lost ? 1 : 0) { problems.append("a refresh token was shown twice") }
        problems += try recordProblems(isKilled: isKilled, mayBeLost: lost)
        if isKilled, second.returned - second.invoked > 1_500_000_000 {
            problems.append(
                "the second operation waited \((second.returned - second.invoked) / 1_000_000) ms for a dead process")
        }
        return problems.isEmpty
            ? [] : problems + ["answers: <\(first.answer.text)>, <\(second.answer.text)>; reuses: \(server.reuses)"]
    }

    private func answerProblems(_ index: Int, _ answer: String, mayBeLost: Bool) -> [String] {
        let other = operation(1 - index)
        switch operation(index) {
        case .refresh, .blindRefresh:
            if answer.hasPrefix("a") || other == .login && answer.hasSuffix("meanwhile") { return [] }
            let isNeeded = series.state == .absent || other == .logout || other == .clear || mayBeLost
            return answer == "login needed" && isNeeded ? [] : ["operation \(index + 1) answered <\(answer)>"]
        case .login, .clear: return answer == "done" ? [] : ["operation \(index + 1) answered <\(answer)>"]
        case .logout: return ["done", "none"].contains(answer) ? [] : ["operation \(index + 1) answered <\(answer)>"]
        }
    }

    /// Checks the login that is stored in the end, and that the next refresh works.
    private func recordProblems(isKilled: Bool, mayBeLost: Bool) throws -> [String] {
        let login = try Self.stored(observer).read()
        let done = [series.first, series.second].dropFirst(isKilled ? 1 : 0)
        var problems: [String] = []
        if let login {
            let token = login.refreshToken.text ?? ""
            let number = token.dropFirst().first.flatMap(\.wholeNumberValue) ?? 0
            let isCurrent = token == server.current(number)
            if !isCurrent, !mayBeLost { problems.append("the stored token \(token) is not the current one") }
            if login.mark != nil, !isKilled { problems.append("the stored login is marked") }
            // A clear between an update's last check and its write comes first, as documented for updates.
            if done.contains(.logout), number == 1 { problems.append("the login is still stored after its end") }
            if done.contains(.login), number == 1 { problems.append("the old login has replaced the new one") }
            if isCurrent, !server.isRevoked(number) {
                let next = Result { () throws(OAuthError) in try refresh(in: observer, server.transport()) }
                if (try? next.get())?.hasPrefix("a\(number).") != true { problems.append("the next refresh: \(next)") }
            }
        } else if !done.contains(.logout), !done.contains(.clear), series.state != .absent || done.contains(.login),
            !isKilled || series.first == .refresh || series.first == .login
        {
            problems.append("the login is gone")
        }
        let isEnded = done.contains(.logout) && series.state != .absent && !done.contains(.clear)
        if isEnded, !server.isRevoked(1), !done.contains(.login), !isKilled {
            problems.append("the login is not revoked")
        }
        return problems
    }
}

extension Defects {
    /// Reads the login, sends its token, and stores whatever comes.
    fileprivate static func refresh(
        _ stored: StoredLogin, _ store: SecretStore, _ transport: @escaping Transport
    ) throws -> String {
        guard let login = try stored.read() else { throw OAuthError(.loginNeeded, "not logged in") }
        let other = try SecretStore(.process, namespace: StoredLogin.namespace)
        let copy = StoredLogin(other, service: "work", account: "me")
        try copy.replace(with: login)
        let token = try Refresh(
            of: copy, issuer: TokenServer.issuer, clientID: TokenServer.clientID, secret: nil, transport
        ).token()
        try stored.replace(with: try copy.read())
        return token.text.text ?? ""
    }
}
