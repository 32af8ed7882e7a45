// PAGE
precondition(token.text == "from your server")
let refreshed = try await store.value(for: item, as: Token.self) { old in
    guard let old else { preconditionFailure("the refused value is not passed to the closure") }
    return Fetched(try await refresh(old))
}
precondition(oauth.text == "from your server" && refreshed.text == "refreshed")
