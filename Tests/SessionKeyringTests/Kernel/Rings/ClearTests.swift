import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

@Suite("Clearing a namespace whose ring others have changed", .tags(.kernel))
struct ClearTests {
    private let item = ItemIdentity.password(service: "api", account: "alice")

    @Test(
        "a store that remembers a removed ring clears the current one",
        arguments: [SecretScope.ItemAccess.possessor, .owner])
    func removedRing(_ access: SecretScope.ItemAccess) throws {
        let scratch = try ScratchKeyring()
        let scope = SecretScope.keyring(scratch.keyring.serial, isOpenToOwner: access == .owner)
        let store = try SecretStore(scope)
        try store.set("old", for: item)
        let ring = try scratch.keyring.search(.keyring, "skr:default")
        try scratch.keyring.unlink(ring)

        let other = try SecretStore(scope)
        try other.set("new", for: item)
        try store.clear()

        #expect(try other.get(item, as: String.self) == nil)
        #expect(try store.identities().isEmpty)
    }

    @Test("clearing an unused namespace, or clearing twice, is not an error")
    func nothing() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.clear()
        try store.set("s3cret", for: item)
        try store.clear()
        try store.clear()
        #expect(try !store.contains(item))
    }
}
