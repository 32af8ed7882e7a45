import Keyutils
package import SessionKeyring

/// The reason why a login or a refresh gives no token.
package struct OAuthError: Error, Equatable {
    package enum Code: Sendable {
        /// The user has to log in.
        case loginNeeded
        /// The server refused.
        case refused
        /// The server doesn't offer this flow to this client; another flow can succeed.
        case flowRefused
        /// The user refused.
        case denied
        /// Another attempt can succeed.
        case tryAgain
        /// The keyring can't be used.
        case unavailable, noPermission
        /// An address, or an answer of the server, can't be used.
        case unusable
    }

    package let code: Code
    package let reason: String
    package let hint: String?

    package init(_ code: Code, _ reason: String, hint: String? = nil) {
        (self.code, self.reason, self.hint) = (code, reason, hint)
    }

    /// An error of the store.
    package init(_ error: SecretStoreError) {
        let code: Code =
            switch error.code {
            case .unavailable, .sessionRevoked: .unavailable
            case .forbidden, .foreignSession: .noPermission
            default: .tryAgain
            }
        let reason = error.isLeaseHeld ? "another process uses the login" : error.summary
        self.init(code, reason, hint: "'skr doctor' shows more")
    }

    /// An error that the server reports by its `error` member.
    init(named name: String, _ description: String?) {
        let codes: [(String, Code)] = [
            ("access_denied", .denied), ("unauthorized_client", .flowRefused), ("unsupported_grant_type", .flowRefused),
            ("temporarily_unavailable", .tryAgain), ("server_error", .tryAgain), ("slow_down", .tryAgain),
        ]
        let reason = "the server answered \(name)\(description.map { ": \($0)" } ?? "")".cut(to: 300)
        self.init(codes.first { $0.0 == name }?.1 ?? .refused, reason)
    }
}

extension String {
    /// Returns the beginning of a text from the server.
    package func cut(to length: Int) -> String { String(String.UnicodeScalarView(unicodeScalars.prefix(length))) }
}
