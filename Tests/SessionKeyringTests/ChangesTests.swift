import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

private let haveNotifications = (try? KeyringCapabilities.query().contains(.notifications)) ?? false

@Suite("Changes on common kernels", .tags(.kernel))
struct ChangesTests {
    @Test("where the kernel does not tell, that is what the error says", .enabled(if: !haveNotifications))
    func unsupported() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        #expect { try store.changes() } throws: { ($0 as? SecretStoreError)?.code == .unsupported }
        let fake = SecretStore(backend: InMemoryBackend())
        #expect { try fake.changes() } throws: { ($0 as? SecretStoreError)?.code == .unsupported }
    }
}
