import SessionKeyring
import SessionKeyringTesting

/// The item of these tests.
let oauthItem = ItemIdentity.password(service: "oauth")

/// Where a test's items are.
enum Place: CaseIterable {
    case kernel, memory

    func store(_ scratch: borrowing ScratchKeyring) throws -> SecretStore {
        self == .memory ? SecretStore(backend: InMemoryBackend()) : try scratch.store()
    }
}
