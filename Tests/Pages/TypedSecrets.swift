// PAGE
precondition(login.user == "alice" && maybe?.groups == ["ops"] && greetings == ["Hello, alice", "Hello, bob"])
let restored = try authToken.load().accessToken
precondition(restored == "s3cret")
try listed.set(["a": 1], for: .password(service: "list"))
let list = try listed.get(.password(service: "list"), as: [String: Int].self)
precondition(list == ["a": 1])
precondition(sameKey?.rawRepresentation == signingKey.rawRepresentation)
precondition(password == "pw")
