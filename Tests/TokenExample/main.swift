import Foundation
import SessionKeyring

// A client with many processes that share one login: token-example DIRECTORY
//
// Each process prints the access token that it would send. The first process logs in. When the token is about to
// expire, one process refreshes it. In the meantime, the others continue to use the old token.

let server = AuthorizationServer(directory: URL(fileURLWithPath: CommandLine.arguments[1]))
let store = try SecretStore(namespace: "token-example")
let item = ItemIdentity.password(service: "example.com", account: "alice")

let token = try await store.value(for: item, as: AuthorizationServer.Token.self) { old in
    let token = if let old { try await server.refresh(old) } else { try await server.login() }
    // The refresh token outlives the access token. The access token is refreshed two seconds before it expires.
    return Fetched(
        token, timeout: .seconds(3_600), refreshAfter: .seconds(token.expiresIn - 2),
        usableFor: .seconds(token.expiresIn))
}
print(token.accessToken)
