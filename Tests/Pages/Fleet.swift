// PAGE
precondition(password == "the value of secret/db")
let stored = try store.get(item, as: String.self)
precondition(stored == password)
