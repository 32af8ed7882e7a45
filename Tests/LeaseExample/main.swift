import SessionKeyring

// A program that takes 100 leases, one after the other: lease-example
//
// It runs on the main actor, whose queue needs a thread of Dispatch each time the program continues.

let store = try SecretStore(namespace: "lease-example")
for _ in 0..<100 { try await store.withLease("job", waiting: .seconds(10)) { _ in } }
