// PAGE
precondition(token.text == "from your server" && oauth.text == "from your server")
let refreshed = try await tokens.refreshedValue { old in
    guard let old else { preconditionFailure("the refused value is not passed to the closure") }
    return (try await refresh(old), .token(livingFor: .seconds(old.expiresIn)))
}
try await tokens.invalidate(refreshed)
let renewed = try await tokens.refreshedValue { old in
    if old != nil { throw RefusedOldValue() }
    return (try await logIn(), .scope)
}
precondition(refreshed.text == "refreshed" && renewed.text == "from your server")
