/// Operations on the login of an account.
enum LoginOperation: String, CaseIterable {
    case refresh
    /// Logs in again, with the login that has the number of the role.
    case login
    case logout
    /// Clears the namespace of the logins, which tells the server nothing.
    case clear
    /// The defect of most token caches, put back: a refresh that takes no lease and overwrites.
    case blindRefresh = "blind-refresh"

    static let library = allCases.filter { $0 != .blindRefresh }
}

/// The login that two processes find.
enum LoginState: String, CaseIterable {
    case present
    /// With the mark of a refresh that was interrupted before its request.
    case marked
    case absent
}

/// Two operations on a login.
struct LoginSeries: Series, Hashable {
    let first: LoginOperation
    let second: LoginOperation
    let state: LoginState
    let stop: Stop

    var pair: String { "\(first.rawValue) against \(second.rawValue)" }
    var name: String { "\(first.rawValue),\(second.rawValue),\(state.rawValue)-login,\(stop.rawValue)" }

    func play() throws -> any Play { try LoginPlay(self) }

    /// All series to try, in a fixed order.
    static let all: [LoginSeries] = [Stop.plain, .kill, .double].flatMap { stop in
        LoginOperation.library.flatMap { first in
            LoginOperation.library.filter { first == .refresh || $0 == .refresh || stop == .plain }.flatMap { second in
                LoginState.allCases.map { LoginSeries(first: first, second: second, state: $0, stop: stop) }
            }
        }
    }
}

extension LoginSeries {
    init?(name: Substring) {
        let parts = name.split(separator: ",").map(String.init)
        guard parts.count == 4, let first = LoginOperation(rawValue: parts[0]),
            let second = LoginOperation(rawValue: parts[1]),
            let state = LoginState.allCases.first(where: { "\($0.rawValue)-login" == parts[2] }),
            let stop = Stop(rawValue: parts[3])
        else { return nil }
        self.init(first: first, second: second, state: state, stop: stop)
    }
}
