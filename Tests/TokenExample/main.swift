import Foundation
import SessionKeyring

// A client whose many processes share one login: token-example DIRECTORY
//
// Each prints the access token that it would send. Whoever comes first logs in; when the token is about to expire, one of
// them refreshes it, and the others go on with the old one meanwhile.

let server = AuthorizationServer(directory: URL(fileURLWithPath: CommandLine.arguments[1]))
let store = try SecretStore(namespace: "token-example")
let item = ItemIdentity.password(service: "example.com", account: "alice")

let token = try await store.value(for: item, as: AuthorizationServer.Token.self) { old in
    let token = if let old { try await server.refresh(old) } else { try await server.login() }
    // The refresh token outlives the access token, which is to be new two seconds before its end.
    return Fetched(
        token, timeout: .seconds(3_600), refreshAfter: .seconds(token.expiresIn - 2),
        usableFor: .seconds(token.expiresIn))
}
print(token.accessToken)
