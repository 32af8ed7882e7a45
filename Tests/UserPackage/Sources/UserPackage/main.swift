import SessionKeyring
import SessionKeyringTesting

// In a keyring of its own, through a backend of its own.
let scratch = try ScratchKeyring()
let backend = CountingBackend(wrapping: try scratch.store().backend)
try await callAll(SecretStore(backend: backend))
for check in BackendConformance.checks {
    let scratch = try ScratchKeyring()
    try await check.run(on: SecretStore(backend: CountingBackend(wrapping: scratch.store().backend)))
}
print(
    "every call works, \(BackendConformance.checks.count) conformance checks pass, \(backend.count) calls were counted")
