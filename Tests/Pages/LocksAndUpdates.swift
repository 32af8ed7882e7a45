func synchronously(_ body: () throws -> Void) rethrows { try body() }
// PAGE
try synchronously { try countOnce(in: store) }
let count = try store.get(counter, as: Int.self)
precondition(count == 2)
let printing = Task { try await printChanges(of: store) }
try await Task.sleep(for: .milliseconds(200))
printing.cancel()
// The task ends when it is cancelled, or immediately if the kernel does not report changes.
if case .failure(let error) = await printing.result { precondition((error as? SecretStoreError)?.code == .unsupported) }
