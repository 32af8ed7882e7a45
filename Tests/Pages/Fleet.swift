func readEtcd(_ key: String) async throws -> String { "the value of \(key)" }
func etcdChanges(of key: String) -> AsyncStream<Void> {
    AsyncStream { changes in
        changes.yield()
        changes.finish()
    }
}
// PAGE
precondition(password == "the value of secret/db")
let forgotten = try store.get(item)
precondition(forgotten == nil)
