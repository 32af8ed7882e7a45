// PAGE
precondition(password == "the value of secret/db")
let forgotten = try store.get(item)
precondition(forgotten == nil)
