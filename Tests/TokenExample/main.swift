import Foundation
import SessionKeyring

// A client with many processes that share one login: token-example DIRECTORY
//
// Each process prints the access token that it would send. The first process logs in. When the token is about to
// expire, one process refreshes it. In the meantime, the others continue to use the old token.

let server = AuthorizationServer(directory: URL(fileURLWithPath: CommandLine.arguments[1]))
let store = try SecretStore(namespace: "token-example")
let item = ItemIdentity.password(service: "example.com", account: "alice")
let tokens = store.slot(for: item, as: AuthorizationServer.Token.self)

let token = try await tokens.refreshedValue { old in
    let token = if let old { try await server.refresh(old) } else { try await server.login() }
    return (token, .token(livingFor: .seconds(token.expiresIn)))
}
print(token.accessToken)
