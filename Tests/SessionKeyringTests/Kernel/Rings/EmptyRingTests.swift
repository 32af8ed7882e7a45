import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "item")

@Suite("Removing empty rings", .tags(.kernel))
final class EmptyRingTests {
    private let scratch: ScratchKeyring

    init() throws {
        scratch = try ScratchKeyring()
        let store = try scratch.store(namespace: "own")
        try store.set("1", for: item)
        try store.clear()
    }

    private func makeEmpty(_ namespace: String) throws -> Keyring {
        let store = try scratch.store(namespace: namespace)
        try store.set("1", for: item)
        try store.clear()
        return try scratch.keyring.search(keyring: "skr:\(namespace)")
    }

    private func removeEmpty() throws -> Int {
        let backend = try #require(try scratch.store(namespace: "own").backend as? KernelBackend)
        return try backend.rings.removeEmptyRings(Effort())
    }

    private func isGone(_ ring: Keyring) -> Bool { becomesTrue { (try? Key(ring).describe()) == nil } }

    @Test("empty rings of other namespaces are removed, even if a process died while removing them")
    func removed() throws {
        let rings = [try makeEmpty("a"), try makeEmpty("b"), try makeEmpty("c")]
        try Key(rings[1]).setPermissions([.possessorAll, .userRead])
        try Key(rings[2]).setPermissions([.possessorAll, .userRead])
        try rings[2].restrict()
        #expect(try removeEmpty() == 3)
        for ring in rings { #expect(isGone(ring)) }
        _ = try scratch.keyring.search(keyring: "skr:own")
    }

    @Test("a ring restricted on purpose is kept, and so are keys and keyrings of other programs")
    func kept() throws {
        let restricted = try makeEmpty("restricted")
        try restricted.restrict()
        let bytes: [UInt8] = [1]
        let (key, other, open) = try Wait.forQuota { () throws(KeyringError) in
            (
                try scratch.keyring.add(.user, "skr:key", payload: bytes.span.bytes),
                try scratch.keyring.addKeyring("other"), try scratch.keyring.addKeyring("skr:open")
            )
        }
        let others = [Key(restricted), key, Key(other)]
        for key in others { try key.setPermissions(.possessorAll) }
        try Key(open).setPermissions([.possessorAll, .userAll])
        try scratch.store(namespace: "full").set("1", for: item)
        #expect(try removeEmpty() == 0)
        for key in others { #expect(try key.describe().permissions == .possessorAll) }
        #expect(try Key(open).describe().permissions == [.possessorAll, .userAll])
        #expect(try scratch.store(namespace: "full").get(item) == "1")
    }

    @Test("removing empty rings skips a dead ring and one that can't be viewed")
    func deadOrHidden() throws {
        let (dead, hidden) = (try makeEmpty("dead"), try makeEmpty("hidden"))
        try Key(dead).revoke()
        try Key(hidden).setPermissions(KeyPermissions.possessorAll.subtracting(.possessorView))
        #expect(try removeEmpty() == 0)
        #expect(try scratch.keyring.links(Key(hidden)))
    }

    @Test(
        "another user's ring is never changed, even if it is restricted", .tags(.root),
        .enabled(if: isRoot, "needs root"))
    func otherUsers() throws {
        let (open, closed) = (try makeEmpty("open"), try makeEmpty("closed"))
        try Key(closed).setPermissions([.possessorAll, .userRead])
        try closed.restrict()
        for ring in [open, closed] { try Key(ring).changeOwner(userID: 60_251) }
        #expect(try removeEmpty() == 0)
        #expect(try Key(open).describe().permissions == .possessorAll)
        #expect(try !open.isRestricted())
        let store = try scratch.store(namespace: "closed")
        #expect(try storeError { try store.set("1", for: item) }?.detail == .restricted(closed.serial))
        #expect(try scratch.keyring.links(Key(closed)))
    }

    @Test("finishRemoval removes a ring only if it is restricted")
    func finished() throws {
        let backend = try #require(try scratch.store(namespace: "own").backend as? KernelBackend)
        let ring = try scratch.keyring.search(keyring: "skr:own")
        try Key(ring).setPermissions([.possessorAll, .userRead])
        let effort = Effort()
        #expect(try !backend.rings.finishRemoval(ring, effort))
        #expect(try scratch.keyring.links(Key(ring)))
        try ring.restrict()
        #expect(try backend.rings.finishRemoval(ring, effort))
        #expect(isGone(ring))
    }
}
