import Glibc
import Keyutils
import OAuth
import SecretText
import SessionKeyring

/// An OAuth server whose state all processes of a play share.
///
/// It revokes a login that shows a refresh token twice. The refresh token `r2.5` is the sixth one of the second login.
struct TokenServer {
    struct State: BitwiseCopyable {
        /// For each login, the number of its current refresh token.
        var current = InlineArray<4, Int>(repeating: 0)
        var isRevoked = InlineArray<4, Bool>(repeating: false)
        /// How often a refresh token was shown twice.
        var reuses = 0
    }

    static let issuer = "https://id.example.com"
    static let clientID = "skr"

    private let state = Shared(State())

    var reuses: Int { state.value.reuses }
    func isRevoked(_ login: Int) -> Bool { state.value.isRevoked[login] }
    /// Returns the current refresh token of a login.
    func current(_ login: Int) -> String { "r\(login).\(state.value.current[login])" }

    /// Returns the transport of a process, which can be stopped before the request, and before its answer.
    func transport(_ acted: @escaping () -> Void = {}) -> Transport {
        { request, mayStart in
            guard mayStart(getpid()) else { return .notSent(reason: "not started") }
            Self.allowStop()
            let outcome = answer(request)
            acted()
            Self.allowStop()
            return outcome
        }
    }

    /// Makes a keyring call without an effect.
    private static func allowStop() { _ = try? Keyring.resolve(.sessionKeyring) }

    private func answer(_ request: HTTPRequest) -> HTTPOutcome {
        let form = request.form?.text ?? ""
        guard let match = form.firstMatch(of: /token=r([0-9])\.([0-9]+)/), let login = Int(match.1),
            let number = Int(match.2)
        else { return Self.metadata }
        if form.contains("token_type_hint") {
            state.value.isRevoked[login] = true
            return Self.answer(200, "")
        }
        if number != state.value.current[login], !state.value.isRevoked[login] {
            state.value.reuses += 1
            state.value.isRevoked[login] = true
        }
        guard !state.value.isRevoked[login] else { return Self.answer(400, #"{"error":"invalid_grant"}"#) }
        state.value.current[login] += 1
        return Self.tokens(login, state.value.current[login])
    }

    private static let metadata = answer(
        200,
        #"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/token","revocation_endpoint":"\#(issuer)/revoke"}"#)

    private static func tokens(_ login: Int, _ number: Int) -> HTTPOutcome {
        answer(
            200, #"{"access_token":"a\#(login).\#(number)","expires_in":60,"refresh_token":"r\#(login).\#(number)"}"#)
    }

    private static func answer(_ status: Int, _ body: String) -> HTTPOutcome {
        .answer(status: status, body: SecretBox(SecretBytes(utf8: body)))
    }

    /// Returns a new login with this number.
    static func login(_ number: Int) throws -> Login {
        let server = try AuthorizationServer(issuer) { _, _ in metadata }
        let request = LoginRequest(server, clientID: clientID, secret: nil)
        guard case .tokens(let tokens) = TokenAnswer(tokens(number, 0)) else {
            throw SceneError("the server's answer has no tokens")
        }
        return Login(tokens, request, user: nil, keptUntil: nil, at: 0)
    }
}
