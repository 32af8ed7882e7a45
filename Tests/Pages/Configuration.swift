import SessionKeyring

try SecretStore().set("s3cret", for: .password(service: "database.password"))
try SecretStore().set(6543, for: .password(service: "database.port"))
// PAGE
precondition(password == "s3cret" && port == 6543)
