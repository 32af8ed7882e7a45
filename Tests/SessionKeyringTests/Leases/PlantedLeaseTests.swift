import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

private let item = ItemIdentity.password(service: "planted")

/// Tests that everything in a shared keyring is treated as input.
///
/// This includes lease records with any kind of lie, keys that look like the store's own, and keys that nobody can read.
@Suite("Keys that other programs have put there", .tags(.kernel))
final class PlantedLeaseTests {
    private let scratch: ScratchKeyring
    private let store: SecretStore
    private let leases: Keyring
    private let items: Keyring

    init() throws {
        scratch = try ScratchKeyring()
        store = try scratch.store()
        try store.set("1", for: item)
        leases = try scratch.keyring.search(keyring: NamespaceRings.leasesName)
        items = try scratch.keyring.search(keyring: "skr:default")
    }

    private static func bytes(of words: [UInt64]) -> [UInt8] {
        words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
    }

    private func plantLease(_ name: String, _ record: [UInt8]?) throws -> Keyring {
        let ring = try leases.addKeyring(name)
        if let record { try ring.add(.user, "by", payload: record.span.bytes) }
        return ring
    }

    @Test("300 random lies in lease records clear no other keyring, and block no name for long")
    func lies() throws {
        print("seed \(testSeed)")
        var random = Choices(seed: testSeed)
        let victim = try scratch.keyring.addKeyring("victim")
        try victim.add(.user, "precious", payload: [1].span.bytes)
        for number in 0..<(isRoot ? 300 : 60) {
            var words = (0..<8).map { _ in UInt64.random(in: 0...UInt64.max, using: &random) }
            // Most of the records are true except for some of their fields.
            if number % 4 != 0 { words[0] = 0x0001_736B_722D_6C73 }
            if number % 2 == 0 { words[5] = 1 }
            let bytes = Self.bytes(of: words)
            let ring = try plantLease("default:\(item.keyDescription)", Array(bytes.prefix(number % 5 == 0 ? 40 : 64)))
            if number % 3 == 0 { try ring.link(Key(victim)) }
            switch number % 4 {
            case 0: _ = try store.items()
            case 1: try store.blockingUpdate(item, lasting: .scope) { (old: String?) in (old ?? "") }
            default: try store.set("1", for: item)
            }
            #expect(try victim.members().count == 1 && !victim.isRestricted() && !items.isRestricted())
            #expect(try store.get(item, as: String.self) != nil)
            // The taken ring keeps its name occupied until the kernel has collected it.
            try? leases.unlink(Key(ring))
        }
    }

    @Test("a reader clears nothing that a record names, neither a ring nor the session")
    func readers() throws {
        let private1 = try Keyring.resolve(.sessionKeyring).addKeyring("private-\(getpid())")
        defer { try? Keyring.resolve(.sessionKeyring).unlink(Key(private1)) }
        try private1.add(.user, "precious", payload: [1].span.bytes)
        for target in [private1.serial.rawValue, -3] {
            // Three numbers that are not a record: one names a keyring.
            let words: [UInt64] = [1, 1, UInt64(bitPattern: Int64(target))]
            let bytes = Self.bytes(of: words)
            try leases.add(.user, "default:\(item.keyDescription)", payload: bytes.span.bytes)
            _ = try plantLease("default:\(item.keyDescription)", bytes)
            _ = try store.items()
            try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "2" }
        }
        #expect(try private1.members().count == 1)
        #expect(try !private1.isRestricted())
        #expect(try !Keyring.resolve(.sessionKeyring).isRestricted())
    }

    @Test("a list removes no key of another program because of how the key looks")
    func foreignKeyStays() throws {
        // The kernel's default permissions and no timeout, like a key from `keyctl padd`.
        let foreign = try items.add(.user, "password:foreign:", payload: [1].span.bytes)
        let marked = try items.add(.user, "password:marked:", payload: [1].span.bytes)
        try marked.setPermissions(KeyPermissions.possessorAll.subtracting(.possessorLink))
        #expect(try store.items().count == 3)
        #expect(try store.items().count == 3)
        #expect(try items.links(foreign) && items.links(marked))
    }

    @Test("a list skips an item that can't be read, and its serial is reported")
    func unreadable() throws {
        let odd = try items.add(.user, "password:odd:", payload: [1].span.bytes)
        try odd.setPermissions([.possessorView, .possessorSetAttribute])
        let hidden = try items.add(.user, "password:hidden:", payload: [1].span.bytes)
        try hidden.setPermissions([.possessorSetAttribute])
        #expect(try store.items().map(\.item) == [item])
        #expect(try Set(store.unreadableKeys()) == [odd.serial, hidden.serial])
        #expect(try store.identities().contains(item))
        try store.clear()
        #expect(try store.unreadableKeys().isEmpty)
    }

    @Test("keys with the same names as the store's own do no harm")
    func namesakes() throws {
        for name in ["default/fence.1.1", "default:\(item.keyDescription)", "updates:default:", "by"] {
            try leases.add(.user, name, payload: [1].span.bytes)
        }
        try scratch.keyring.add(.user, "skr-making:skr:default", payload: [1].span.bytes)
        _ = try items.addKeyring(item.keyDescription)
        _ = try items.addKeyring("fetching:\(item.keyDescription)")
        #expect(try store.items().map(\.item) == [item])
        try store.set("2", for: item)
        try store.blockingUpdate(item, lasting: .scope) { (old: String?) in (old ?? "") + "3" }
        #expect(try store.get(item) == "23")
        #expect(try store.delete(item))
        try store.add("4", for: item)
        #expect(try store.get(item) == "4")
    }

    @Test("an update flag that nobody can search disables nothing")
    func unsearchableFlag() async throws {
        let flag = try leases.add(.user, "updates:default:", payload: [1].span.bytes)
        try flag.setPermissions(KeyPermissions.possessorAll.subtracting(.possessorSearch))
        try store.set("2", for: item, lasting: .seconds(600))
        #expect(try store.expire(item, timeout: .seconds(1)))
        #expect(becomesTrue(within: 2.1) { (try? store.contains(item)) == false })
        try store.add("3", for: item)
        #expect(try await store.update(item, lasting: .scope) { (old: String?) in (old ?? "") + "4" } == "34")
        #expect(try await store.value(for: .password(service: "other"), as: String.self) { "fetched" } == "fetched")
        #expect(try store.delete(item))
    }

    @Test("a lease that nobody can search is an error long before a wait for it would end, also for a fetch")
    func unsearchable() async throws {
        // As the store encodes colons in the name of a lease.
        let name = item.keyDescription.replacingOccurrences(of: ":", with: "%3A")
        try Key(plantLease("default:lease:fetch%3A\(name)", nil)).setPermissions([.possessorSetAttribute])
        let start = ContinuousClock.now
        try store.delete(item)
        await #expect(throws: SecretStoreError.self) {
            try await store.value(for: item, as: String.self, lasting: .seconds(60)) { "fetched" }
        }
        #expect(ContinuousClock.now - start < .seconds(40))
    }
}
