struct Token: Codable, Equatable { let expiresIn: Int, number: Int }
func logIn() async throws -> Token { Token(expiresIn: 3_600, number: 1) }
func refresh(_ old: Token) async throws -> Token { Token(expiresIn: old.expiresIn, number: old.number + 1) }
func synchronously<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
// PAGE
precondition(token.number == 1)
let refreshed = try await store.value(for: item, as: Token.self) { old in
    guard let old else { preconditionFailure("the refused one is not at hand") }
    return Fetched(try await refresh(old))
}
precondition(refreshed.number == oauth.number + 1)
let now = try synchronously { try tokenNow(in: store) }
precondition(now == "fetched")
