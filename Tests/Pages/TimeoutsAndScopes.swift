import SessionKeyring
// PAGE
precondition(mine !== store)
let attributes = try store.attributes(of: token)
precondition(attributes?.expiry == .never)
try application.clear()
