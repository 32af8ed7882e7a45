import Keyutils
import SessionKeyringTesting
import Testing

@testable import SessionKeyring

@Suite("The type of key that an item is looked for as", .tags(.kernel))
struct KeyTypeTests {
    @Test("an item is found as its own type, and where no type is named, but not as another one")
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
