func upload(fencedBy number: UInt64) async throws { precondition(number > 0) }
func synchronously(_ body: () throws -> Void) rethrows { try body() }
// PAGE
try synchronously { try countOnce(in: store) }
let count = try store.get(counter, as: Int.self)
precondition(count == 2)
do {
    try await printChanges(of: store)
} catch let error as SecretStoreError {
    precondition(error.code == .unsupported)
}
