func synchronously(_ body: () throws -> Void) rethrows { try body() }
// PAGE
try synchronously { try countOnce(in: store) }
let count = try store.get(counter, as: Int.self)
precondition(count == 2)
