import Keyutils
import SessionKeyringTesting
import Testing

@testable import SessionKeyring

@Suite("Searching for an item by key type", .tags(.kernel))
struct KeyTypeTests {
    @Test("an item is found by its own type and without a type, but not by another type")
    func types() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let item = ItemIdentity.password(service: "small")
        try store.set("1", for: item)
        let backend = try #require(store.backend as? KernelBackend)
        func isFound(as type: KeyType?) throws -> Bool {
            try backend.withKey(of: item, type: type) { _, _ in } != nil
        }
        #expect(try isFound(as: nil))
        #expect(try isFound(as: .user))
        #expect(try !isFound(as: .bigKey))
    }
}
