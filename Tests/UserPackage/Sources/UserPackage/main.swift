import SessionKeyring
import SessionKeyringTesting

let scratch = try ScratchKeyring()
for store in [try scratch.store(), SecretStore(backend: InMemoryBackend())] {
    try await callAll(store)
    try await callAllWithOthers(store)
}
print("every call works, in the kernel and in memory")
