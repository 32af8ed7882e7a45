import SessionKeyring
import SessionKeyringTesting

/// The item that these tests fetch.
let oauthItem = ItemIdentity.password(service: "oauth")

/// The backend that holds a test's items.
enum Place: CaseIterable {
    case kernel, memory

    func store(_ scratch: borrowing ScratchKeyring) throws -> SecretStore {
        self == .memory ? SecretStore(backend: InMemoryBackend()) : try scratch.store()
    }
}
