import SessionKeyring
import SessionKeyringTesting

// The first store uses a new scratch keyring, through the package's own backend.
let scratch = try ScratchKeyring()
let backend = CountingBackend(wrapping: try scratch.store().backend)
for store in [SecretStore(backend: backend), SecretStore(backend: InMemoryBackend())] {
    try await callAll(store)
    try await callAllWithOthers(store)
}
for check in BackendConformance.checks {
    let scratch = try ScratchKeyring()
    try await check.run(on: SecretStore(backend: CountingBackend(wrapping: scratch.store().backend)))
}
print(
    "every call works, \(BackendConformance.checks.count) conformance checks pass, \(backend.count) calls were counted")
