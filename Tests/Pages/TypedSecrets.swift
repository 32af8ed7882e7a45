// PAGE
precondition(login.user == "alice" && maybe?.groups == ["ops"] && greeting == "Hello, alice")
let restored = try authToken.load().accessToken
precondition(restored == "s3cret")
try listed.set(["a": 1], for: .password(service: "list"))
let list = try listed.get(.password(service: "list"), as: [String: Int].self)
precondition(list == ["a": 1])
let raw = try store.get(.key(tag: "com.example.sign"), as: [UInt8].self)
precondition(raw == Array(signingKey.rawRepresentation))
try sealed.set("s3cret", for: .password(service: "api"))
let opened = try sealed.get(.password(service: "api"), as: String.self)
let stored = try SecretStore(namespace: "sealed").get(.password(service: "api"), as: [UInt8].self)
precondition(opened == "s3cret" && stored?.count == "s3cret".utf8.count + 28)
