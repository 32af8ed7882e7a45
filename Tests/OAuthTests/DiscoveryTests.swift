import Keyutils
import SecretText
import Testing

@testable import OAuth

/// The metadata of servers.
@Suite("Discovery of OAuth servers")
struct DiscoveryTests {
    @Test("the metadata is looked for at both of its places")
    func places() throws {
        let good = #"{"issuer":"https://id.example.com/t","token_endpoint":"https://id.example.com/token"}"#
        let scripted = ScriptedServer([answer(404, "no"), answer(200, good)])
        let server = try AuthorizationServer("https://id.example.com/t", scripted.transport)
        #expect(server.tokens.text == "https://id.example.com/token")
        #expect(
            scripted.got == [
                "https://id.example.com/.well-known/oauth-authorization-server/t ",
                "https://id.example.com/t/.well-known/openid-configuration ",
            ])
    }

    @Test("a page that is not metadata doesn't hide the other place")
    func page() throws {
        let good = #"{"issuer":"https://id.example.com","token_endpoint":"https://id.example.com/token"}"#
        let scripted = ScriptedServer([answer(200, "<html>"), answer(200, good)])
        #expect(
            try AuthorizationServer("https://id.example.com", scripted.transport).issuer == "https://id.example.com")
    }

    @Test(
        "an issuer must be exactly the wanted one",
        arguments: ["https://id.example.com/", "https://ID.example.com", "https://other.example.com", ""])
    func issuers(_ named: String) {
        let body = #"{"issuer":"\#(named)","token_endpoint":"https://id.example.com/token"}"#
        let scripted = ScriptedServer([answer(200, body), answer(200, body)])
        let error = #expect(throws: OAuthError.self) { try AuthorizationServer(issuer, scripted.transport) }
        #expect(error?.code == .unusable)
        #expect(error?.reason == "the server names itself \(named), and not \(issuer)")
    }

    @Test(
        "endpoints outside of https are refused, also those on this machine, where any user can have the port",
        arguments: ["http://id.example.com/token", "token", "https://a@b/", "http://127.0.0.1:8080/token"])
    func endpoints(_ address: String) {
        let body = #"{"issuer":"\#(issuer)","token_endpoint":"\#(address)"}"#
        let scripted = ScriptedServer([answer(200, body), answer(404, "")])
        let error = #expect(throws: OAuthError.self) { try AuthorizationServer(issuer, scripted.transport) }
        #expect(error?.reason == "the server's token_endpoint is not an address of https")
    }

    @Test("a server that can't be reached, or fails, is asked again later")
    func failing() {
        for outcome in [HTTPOutcome.notSent(reason: "no host"), .unknown(reason: "timeout"), answer(503, "")] {
            let error = #expect(throws: OAuthError.self) {
                try AuthorizationServer(issuer, ScriptedServer([outcome, answer(404, "")]).transport)
            }
            #expect(error?.code == .tryAgain)
        }
    }

    @Test("GitHub is not asked for metadata")
    func gitHub() throws {
        let scripted = ScriptedServer([])
        let server = try AuthorizationServer("https://github.com", scripted.transport)
        #expect(scripted.got == [])
        #expect(server.device?.text == "https://github.com/login/device/code")
        #expect(LoginRequest(server, clientID: "x", secret: box("s")).client.authentication == .post)
    }

    @Test("what a server supports is read from lists")
    func lists() throws {
        let server = try server(
            more:
                #","scopes_supported":["openid","offline_access"],"authorization_response_iss_parameter_supported":true"#
        )
        #expect(server.offersOfflineAccess)
        #expect(server.namesIssuer)
        #expect(!server.wantsSecretInForm)
        #expect(try !OAuthTests.server(more: #","scopes_supported":["x_offline_access"]"#).offersOfflineAccess)
    }
}
