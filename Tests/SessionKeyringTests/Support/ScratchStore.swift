import SessionKeyring
import SessionKeyringTesting

/// A scratch keyring with a store, for a suite whose tests each need a new one.
final class ScratchStore: Sendable {
    let scratch: ScratchKeyring
    let store: SecretStore

    init() throws {
        scratch = try ScratchKeyring()
        store = try scratch.store()
    }

    /// Returns the store, or one in memory.
    func store(in place: Place) -> SecretStore {
        place == .memory ? SecretStore(backend: InMemoryBackend()) : store
    }
}

/// The backend that holds a test's items.
enum Place: CaseIterable {
    case kernel, memory
}
