import Keyutils
import SessionKeyringTesting
import Testing

@Suite("Links and members on the real kernel")
final class KeyringLinksTests: ScratchSuite {
    @Test("a ring lists exactly its members, whatever their number", arguments: [0, 1, 255, 256, 257, 300, 1_000])
    func members(_ count: Int) throws {
        let keys = try (0..<count).map { try keyring.add("key \($0)", [1]) }
        let members = try keyring.members()
        #expect(members.count == count)
        #expect(Set(members) == Set(keys.map(\.serial)))
        if let first = keys.first, let last = keys.last {
            #expect(try keyring.links(first))
            #expect(try keyring.links(last))
        }
        #expect(try !keyring.links(Key(keyring)))
    }

    @Test("a ring's links do not include the keys of rings inside it")
    func linksIsFlat() throws {
        let inner = try keyring.addKeyring("inner")
        let key = try inner.add("key")
        #expect(try inner.links(key))
        #expect(try !keyring.links(key))
        #expect(try keyring.links(Key(inner)))
        #expect(try keyring.search(.user, "key") == key, "a search includes nested keyrings")
    }

    @Test("a link adds an existing key to a ring, and displaces a key of the same name")
    func link() throws {
        let ring = try keyring.addKeyring("ring")
        let key = try keyring.add("key", [1])
        let displaced = try ring.add("key", [2])
        try ring.link(key)
        #expect(try ring.members() == [key.serial])
        #expect(try !ring.links(displaced))
        try ring.link(key)
        #expect(try ring.members() == [key.serial])
    }

    @Test("a search with a destination links the key that it finds")
    func searchAndLink() throws {
        let (from, to) = (try keyring.addKeyring("from"), try keyring.addKeyring("to"))
        let key = try from.add("key")
        #expect(try from.search(.user, "key", linkingInto: to) == key)
        #expect(try to.members() == [key.serial])
        let ring = try from.addKeyring("ring")
        #expect(try from.search(keyring: "ring", linkingInto: to) == ring)
        #expect(try to.links(Key(ring)))
    }

    @Test("the kernel reports whether a keyring is restricted, unless the keyring is dead")
    func restricted() throws {
        let ring = try keyring.addKeyring("ring")
        #expect(try !ring.isRestricted())
        try ring.restrict()
        #expect(try ring.isRestricted())
        let dead = try keyring.addKeyring("dead")
        try Key(dead).revoke()
        expectFailure(.revoked) { () throws(KeyringError) in _ = try dead.isRestricted() }
    }

    @Test("a move takes the key from one ring to the other")
    func move() throws {
        let (from, to) = (try keyring.addKeyring("from"), try keyring.addKeyring("to"))
        let key = try from.add("key", [1])
        try from.move(key, to: to)
        #expect(try from.members() == [])
        #expect(try to.members() == [key.serial])
        expectFailure(.notLinked) { () throws(KeyringError) in try from.move(key, to: to) }
    }

    @Test("a move displaces a key of the same name, unless it is exclusive")
    func moveExclusive() throws {
        let (from, to) = (try keyring.addKeyring("from"), try keyring.addKeyring("to"))
        let key = try from.add("key", [1])
        let taken = try to.add("key", [2])
        expectFailure(.alreadyExists) { () throws(KeyringError) in try from.move(key, to: to, exclusive: true) }
        #expect(try from.members() == [key.serial])
        #expect(try to.members() == [taken.serial])
        try from.move(key, to: to)
        #expect(try from.members() == [])
        #expect(try to.members() == [key.serial])
    }

    @Test("a move to the same ring does nothing", arguments: [false, true])
    func moveToSame(exclusive: Bool) throws {
        let key = try keyring.add("key")
        try keyring.move(key, to: keyring, exclusive: exclusive)
        #expect(try keyring.members() == [key.serial])
    }

    @Test("rings can't form a cycle")
    func cycle() throws {
        let outer = try keyring.addKeyring("outer")
        let inner = try outer.addKeyring("inner")
        expectFailure(.keyringCycle) { () throws(KeyringError) in try inner.link(Key(outer)) }
        expectFailure(.keyringCycle) { () throws(KeyringError) in try inner.link(Key(inner)) }
    }

    @Test("a key that isn't a keyring can't be used as one")
    func notKeyring() throws {
        let key = try keyring.add("key", pattern(8))
        let other = try keyring.add("other")
        let pretended = Keyring(key.serial)
        expectFailure(.notKeyring) { () throws(KeyringError) in try pretended.add("x") }
        expectFailure(.notKeyring) { () throws(KeyringError) in try pretended.link(other) }
        expectFailure(.notKeyring) { () throws(KeyringError) in try pretended.unlink(other) }
        expectFailure(.notKeyring) { () throws(KeyringError) in try pretended.clear() }
        expectFailure(.notKeyring) { () throws(KeyringError) in _ = try pretended.search(.user, "x") }
        expectFailure(.notKeyring) { () throws(KeyringError) in try keyring.move(other, to: pretended) }
        // One call reads payloads and lists members, so the key's 8 bytes look like two serials.
        #expect(try pretended.members().count == 2)
    }

    @Test("a new ring displaces an existing ring of the same name, with its contents")
    func addKeyring() throws {
        let first = try keyring.addKeyring("ring")
        try first.add("key")
        let second = try keyring.addKeyring("ring")
        #expect(first != second)
        #expect(try Key(second).describe().type == .keyring)
        #expect(try keyring.members() == [second.serial])
        #expect(try second.members() == [])
    }

    @Test("a restricted ring accepts no further key and can't be restricted again")
    func restrict() throws {
        let ring = try keyring.addKeyring("ring")
        let key = try ring.add("before", [1])
        let outside = try keyring.add("outside")
        try ring.restrict()
        expectFailure(.notPermitted) { () throws(KeyringError) in try ring.add("after") }
        expectFailure(.notPermitted) { () throws(KeyringError) in try ring.link(outside) }
        expectFailure(.notPermitted) { () throws(KeyringError) in try keyring.move(outside, to: ring) }
        let refused = #expect(throws: KeyringError.self) { try ring.add("after") }
        #expect(refused?.restrictedKeyring == ring.serial)
        #expect(refused?.description == "add_key: keyring \(ring) is restricted (errno 1)")
        let invalid = #expect(throws: KeyringError.self) { try ring.add("empty", []) }
        #expect(invalid?.code == .invalidArgument)
        #expect(invalid?.restrictedKeyring == nil)
        let absent = #expect(throws: KeyringError.self) { try ring.link(Key(KeySerial(rawValue: 1))) }
        #expect(absent?.code == .notFound)
        #expect(absent?.restrictedKeyring == nil)
        expectFailure(.alreadyExists) { () throws(KeyringError) in try ring.restrict() }
        #expect(try keyring.links(outside))
        #expect(try key.bytes() == [1])
        try ring.unlink(key)
        #expect(try ring.members() == [])
    }

    @Test("restricting by type needs a rule and an existing type that supports rules")
    func restrictByType() throws {
        let ring = try keyring.addKeyring("ring")
        expectFailure(.invalidArgument) { () throws(KeyringError) in try ring.restrict(type: .asymmetric) }
        expectFailure(.notLinked) { () throws(KeyringError) in try ring.restrict(type: .user, restriction: "any") }
        expectFailure(.notFound) { () throws(KeyringError) in
            try ring.restrict(type: "no_such_type", restriction: "any")
        }
        try ring.restrict(type: .asymmetric, restriction: "key_or_keyring:0:chain")
        let refused = #expect(throws: KeyringError.self) { try ring.add("a user key") }
        #expect(refused?.code == .unsupported)
        #expect(refused?.restrictedKeyring == ring.serial)
        let unknown = #expect(throws: KeyringError.self) { try keyring.add("no_such_type", "key", [1]) }
        #expect(unknown?.restrictedKeyring == nil)
    }
}
