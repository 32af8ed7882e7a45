import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

private let haveNotifications = (try? KeyringCapabilities.query().contains(.notifications)) ?? false

@Suite("Changes on common kernels", .tags(.kernel))
struct ChangesTests {
    @Test("without notifications in the kernel, asking for changes is unsupported", .enabled(if: !haveNotifications))
    func unsupported() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        #expect { try store.changes() } throws: { ($0 as? SecretStoreError)?.code == .unsupported }
    }

    @Test("the in-memory backend reports the changes of its items in order, to every observer")
    func inMemory() async throws {
        let store = SecretStore(backend: InMemoryBackend())
        let (item, other) = (ItemIdentity.password(service: "a"), ItemIdentity.key(tag: "b"))
        try store.set("before", for: item)
        var changes = try [store.changes().makeAsyncIterator(), store.changes().makeAsyncIterator()]
        try store.add("1", for: other)
        try await store.update(item, timeout: nil) { (_: String?) in "2" }
        try store.expire(item, timeout: .seconds(9))
        try store.delete(item)
        try store.delete(item)
        try store.clear()
        for number in changes.indices {
            for change: SecretChange in [.stored(other), .stored(item), .deleted(item), .cleared] {
                #expect(await changes[number].next() == change)
            }
        }
    }
}
