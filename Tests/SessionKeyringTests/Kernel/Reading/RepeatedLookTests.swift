import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "looked at")

@Suite("Reading keys and rings that other processes change", .tags(.kernel))
final class RepeatedLookTests {
    private let scratch: ScratchKeyring

    init() throws { scratch = try ScratchKeyring() }

    /// A store that has already looked up its rings and holds the item.
    private func store(isOpenToOwner: Bool = false) throws -> SecretStore {
        let store = try SecretStore(.keyring(scratch.keyring.serial, isOpenToOwner: isOpenToOwner))
        try store.set("1", for: item)
        return store
    }

    private func backend() throws -> KernelBackend { try #require(try store().backend as? KernelBackend) }

    @Test(
        "a read is retried while keys vanish, and once if access is denied",
        arguments: [
            ([], 1, nil), ([.notFound], 2, nil), ([.notFound, .expired, .revoked], 4, nil), ([.accessDenied], 2, nil),
            ([.accessDenied, .accessDenied], 2, .forbidden), ([.outOfMemory], 1, .unexpected),
        ] as [([KeyringError.Code], Int, SecretStoreError.Code?)])
    func vanishing(errors: [KeyringError.Code], count: Int, code: SecretStoreError.Code?) throws {
        let backend = try backend()
        var looks = 0
        let error = try storeError {
            _ = try backend.withKey(of: item) { _, _ throws(KeyringError) -> Void in
                looks += 1
                if looks <= errors.count { throw KeyringError(errors[looks - 1], in: .read) }
            }
        }
        #expect(looks == count)
        #expect(error?.code == code)
    }

    @Test("a name in a ring is free, or belongs to a live or a dead key")
    func names() throws {
        let backend = try backend()
        let ring = try #require(try backend.rings.items())
        let key = try ring.search(.user, item.keyDescription)
        #expect(try ring.state(of: .user, "none") == .free)
        #expect(try backend.nameState(of: .password(service: "none"), in: ring) == .free)
        #expect(try backend.nameState(of: item, in: ring) == .live(key))
        try key.revoke()
        #expect(try backend.nameState(of: item, in: ring) == .dead)
    }

    @Test("get, contains and add report an unsearchable item as forbidden")
    func hiddenItem() throws {
        let store = try store()
        let key = try scratch.keyring.search(keyring: "skr:default").search(.user, item.keyDescription)
        try key.setPermissions(KeyPermissions.possessorAll.subtracting(.possessorSearch))
        for use in [
            { _ = try store.get(item, as: String.self) }, { _ = try store.contains(item) },
            { try store.add("2", for: item) },
        ] as [() throws -> Void] {
            let error = try storeError(use)
            #expect(error?.code == .forbidden && error?.item == item)
        }
    }

    @Test("a store whose ring was unlinked continues in the ring that replaced it", arguments: [false, true])
    func displacedRing(isOpenToOwner: Bool) throws {
        let (reader, writer) = (try store(isOpenToOwner: isOpenToOwner), try store(isOpenToOwner: isOpenToOwner))
        let (lister, clearer) = (try store(isOpenToOwner: isOpenToOwner), try store(isOpenToOwner: isOpenToOwner))
        let ring = try scratch.keyring.search(keyring: "skr:default")
        // The ring stays alive where no search finds it, so only its owner's permissions still apply.
        let hidden = try Wait.forQuota { () throws(KeyringError) in try scratch.keyring.addKeyring("hidden") }
        try hidden.link(Key(ring))
        try Key(hidden).setPermissions(KeyPermissions.possessorAll.subtracting(.possessorSearch))
        try scratch.keyring.unlink(Key(ring))

        let other = try SecretStore(.keyring(scratch.keyring.serial, isOpenToOwner: isOpenToOwner))
        #expect(try other.get(item, as: String.self) == nil)
        try other.set("2", for: item)
        if !isOpenToOwner { #expect(try reader.get(item) == "2") }
        try writer.set("3", for: item)
        #expect(try other.get(item) == "3")
        let permissions: KeyPermissions = isOpenToOwner ? [.possessorAll, .userAll] : .possessorAll
        let listed = try lister.items()
        #expect(listed.map(\.item) == [item])
        #expect(listed.first?.permissions == permissions)
        try clearer.clear()
        #expect(try other.get(item, as: String.self) == nil)
    }
}
