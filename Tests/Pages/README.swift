struct Login: Codable { let user: String, groups: [String] }
func logIn() async throws -> String { "fetched" }
func upload(fencedBy number: UInt64) async throws { precondition(number > 0) }
// PAGE
precondition(again == "s3cret" && fresh == "fetched")
let user = try store.get(token, as: Login.self)?.user
let count = try store.get(.password(service: "counter"), as: Int.self)
precondition(user == "alice" && count == 1)
