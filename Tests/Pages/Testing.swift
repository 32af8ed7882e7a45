// PAGE
let secret = try fake.get(.password(service: "api"), as: String.self)
precondition(secret == "s3cret" && expired == nil)
