// PAGE
precondition(again == "s3cret" && fresh == "from your server")
let user = try store.get(token, as: Login.self)?.user
let count = try store.get(.password(service: "counter"), as: Int.self)
precondition(user == "alice" && count == 1)
