import Glibc
import Keyutils
import OAuth
import SecretText
import SessionKeyring
import SessionKeyringTesting
import Synchronization

/// The issuer and the client of the tests.
let issuer = "https://id.example.com"
let clientID = "skr"

func box(_ text: String) -> SecretBox { SecretBox(SecretBytes(copying: text.utf8Span.span.bytes)) }

/// The answer of a server with this JSON.
func answer(_ status: Int, _ body: String) -> HTTPOutcome { .answer(status: status, body: box(body)) }

/// The answer with these tokens.
func tokens(_ access: String, refresh: String? = nil, lifetime: Int = 3_600, more: String = "") -> HTTPOutcome {
    let refresh = refresh.map { #","refresh_token":"\#($0)""# } ?? ""
    return answer(
        200, #"{"access_token":"\#(access)","token_type":"Bearer","expires_in":\#(lifetime)\#(refresh)\#(more)}"#)
}

/// A server whose answers a test has written, and what it has got.
final class ScriptedServer: Sendable {
    private let state = Mutex<(answers: [HTTPOutcome], got: [String])>(([], []))
    private let during: @Sendable (ScriptedServer) -> Void

    /// - Parameter during: called while a request is on its way.
    init(_ answers: [HTTPOutcome], during: @escaping @Sendable (ScriptedServer) -> Void = { _ in }) {
        self.during = during
        state.withLock { $0.answers = answers }
    }

    /// The addresses and forms of the requests.
    var got: [String] { state.withLock { $0.got } }

    var transport: Transport {
        { request, mayStart in
            guard mayStart(getpid()) else { return .notSent(reason: "not started") }
            let form = request.form?.text ?? ""
            self.state.withLock { $0.got.append("\(request.address.text) \(form)") }
            if !request.address.text.hasSuffix("/revoke") { self.during(self) }
            return self.state.withLock { state in
                state.answers.isEmpty ? .unknown(reason: "no answer is left") : state.answers.removeFirst()
            }
        }
    }
}

/// The metadata of the test's server.
func server(more: String = "") throws -> AuthorizationServer {
    let metadata = """
        {"issuer":"\(issuer)","token_endpoint":"\(issuer)/token","authorization_endpoint":"\(issuer)/authorize",
        "device_authorization_endpoint":"\(issuer)/device","revocation_endpoint":"\(issuer)/revoke"\(more)}
        """
    return try AuthorizationServer(issuer, ScriptedServer([answer(200, metadata)]).transport)
}

/// A request to log in, by a client without a secret.
func request(more: String = "", scope: String? = nil, resource: String? = nil) throws -> LoginRequest {
    LoginRequest(try server(more: more), clientID: clientID, secret: nil, scope: scope, resource: resource)
}

/// A new login with this refresh token.
func newLogin(
    _ refresh: String, keptUntil: Int64? = nil, more: String = "", resource: String? = nil
) throws -> Login {
    guard case .tokens(let issued) = TokenAnswer(tokens("access-0", refresh: refresh, more: more)) else {
        throw OAuthError(.unusable, "the test's answer has no tokens")
    }
    return Login(issued, try request(resource: resource), user: nil, keptUntil: keptUntil, at: Int64(time(nil)))
}

extension StoredLogin {
    func refresh(_ server: ScriptedServer, issuer: String = issuer) throws(OAuthError) -> String {
        try Refresh(of: self, issuer: issuer, clientID: clientID, secret: nil, server.transport).token().text.text ?? ""
    }
}
