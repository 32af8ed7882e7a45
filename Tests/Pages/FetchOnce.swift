extension Token: Equatable {}
func logIn() async throws -> Token { Token(text: "1", expiresIn: 3_600) }
func refresh(_ old: Token) async throws -> Token { Token(text: old.text + "1", expiresIn: old.expiresIn) }
func synchronously<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
// PAGE
precondition(token.text == "1")
let refreshed = try await store.value(for: item, as: Token.self) { old in
    guard let old else { preconditionFailure("the refused one is not at hand") }
    return Fetched(try await refresh(old))
}
precondition(refreshed.text == oauth.text + "1")
let now = try synchronously { try tokenNow(in: store) }
precondition(now == "fetched")
