import Keyutils
import SessionKeyringTesting
import Testing

@Suite("Removing keys on the real kernel")
final class KeyRemovalTests: ScratchSuite {
    /// Adds a key to a new ring and displaces it with another key of the same name.
    ///
    /// A link in `keeper` keeps the old key alive.
    private func displace() throws -> (ring: Keyring, keeper: Keyring, old: Key, new: Key) {
        let (ring, keeper) = (try keyring.addKeyring("ring"), try keyring.addKeyring("keeper"))
        let old = try ring.add("name", [1])
        try keeper.link(old)
        let stage = try ring.addKeyring("stage")
        let new = try stage.add("name", [2])
        try stage.move(new, to: ring)
        #expect(try ring.search(.user, "name") == new)
        return (ring, keeper, old, new)
    }

    @Test("an unlinked key is gone from its ring immediately, but stays in other rings")
    func unlink() throws {
        let other = try keyring.addKeyring("other")
        let key = try keyring.add("key")
        try other.link(key)
        try keyring.unlink(key)
        #expect(try !keyring.links(key))
        #expect(try other.links(key))
        #expect(try key.bytes() == [1, 2, 3])
        expectFailure(.notLinked) { () throws(KeyringError) in try keyring.unlink(key) }
    }

    @Test("unlinking a displaced key by its serial removes its successor")
    func unlinkGoesByName() throws {
        let (ring, _, old, new) = try displace()
        try ring.unlink(old)
        #expect(try !ring.links(new))
        #expect(try old.bytes() == [1])
    }

    @Test("invalidating a displaced key does not affect its successor")
    func invalidateIsExact() throws {
        let (ring, keeper, old, new) = try displace()
        try old.invalidate()
        #expect(try ring.links(new))
        #expect(try new.bytes() == [2])
        #expect(try becomesTrue { () throws in try !keeper.links(old) })
    }

    @Test("an invalidated key is dead immediately, and soon gone from every ring")
    func invalidate() throws {
        let other = try keyring.addKeyring("other")
        let key = try keyring.add("key")
        try other.link(key)
        try key.invalidate()
        let refused = #expect(throws: KeyringError.self) { _ = try key.read() }
        // Access is denied if the kernel has removed the key from its rings, so that it is no longer possessed, but
        // hasn't destroyed it yet.
        let codes: Set<KeyringError.Code?> = [.notFound, .revoked, .accessDenied]
        #expect(codes.contains(refused?.code))
        #expect(try becomesTrue { () throws in try !keyring.links(key) && !other.links(key) })
        expectFailure(.notFound) { () throws(KeyringError) in _ = try keyring.search(.user, "key") }
    }

    @Test("calls on a revoked key fail with revoked, and its name stays taken until it is unlinked")
    func revoke() throws {
        let stage = try keyring.addKeyring("stage")
        let key = try keyring.add("key")
        try key.revoke()
        expectFailure(.revoked) { () throws(KeyringError) in _ = try key.read() }
        expectFailure(.revoked) { () throws(KeyringError) in _ = try key.describe() }
        expectFailure(.revoked) { () throws(KeyringError) in try key.revoke() }
        expectFailure(.revoked) { () throws(KeyringError) in try key.setTimeout(.longest) }
        let next = try stage.add("key", [9])
        expectFailure(.alreadyExists) { () throws(KeyringError) in try stage.move(next, to: keyring, exclusive: true) }
        try keyring.unlink(key)
        try stage.move(next, to: keyring, exclusive: true)
        #expect(try keyring.search(.user, "key") == next)
    }

    @Test("a revoked ring refuses to be searched, added to and listed")
    func revokeRing() throws {
        let ring = try keyring.addKeyring("ring")
        try ring.add("key")
        try Key(ring).revoke()
        expectFailure(.revoked) { () throws(KeyringError) in _ = try ring.search(.user, "key") }
        expectFailure(.revoked) { () throws(KeyringError) in try ring.add("another") }
        expectFailure(.revoked) { () throws(KeyringError) in _ = try ring.members() }
    }

    @Test("clearing a ring removes every link")
    func clear() throws {
        let ring = try keyring.addKeyring("ring")
        for number in 0..<100 { try ring.add("key \(number)") }
        try ring.clear()
        #expect(try ring.members() == [])
        expectFailure(.notFound) { () throws(KeyringError) in _ = try ring.search(.user, "key 7") }
        try ring.clear()
    }
}
