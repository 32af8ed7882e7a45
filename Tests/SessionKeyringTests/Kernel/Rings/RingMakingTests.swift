import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "item")
private let name = "skr:default"

@Suite("Making and remembering the rings of a namespace", .tags(.kernel, .threads))
final class RingMakingTests {
    private let scratch: ScratchKeyring
    private let store: SecretStore
    private let rings: NamespaceRings

    init() throws {
        scratch = try ScratchKeyring()
        store = try scratch.store()
        rings = try NamespaceRings(scope: scratch.scope, namespace: "default")
    }

    /// The blockage of a single attempt to find or make both rings; `nil` if it succeeds.
    private func blockage() throws -> Blockage? {
        do throws(SecretStoreError) {
            _ = try rings.findOrMakePair(Effort())
            return nil
        } catch {
            guard case .blocked(let blockage)? = error.detail else { throw error }
            return blockage
        }
    }

    private func waitsForCollection(_ blockage: Blockage?) -> Bool {
        if case .until? = blockage { true } else { false }
    }

    /// A keyring that the anchor does not link directly.
    private func keyringInAnother(_ name: String) throws -> Keyring {
        try Wait.forQuota { () throws(KeyringError) in
            try scratch.keyring.addKeyring("another").addKeyring(name)
        }
    }

    @Test("replacing a dead lease ring waits for late holders; making other rings does not")
    func waitingMaker() throws {
        #expect(try !waitsForCollection(blockage()))
        try store.set("1", for: item)
        try Key(scratch.keyring.search(keyring: name)).revoke()
        #expect(try !waitsForCollection(blockage()))
        var isBlocked = false
        // On a busy machine, an attempt can succeed because that time has already passed.
        for _ in 0..<20 where !isBlocked {
            try store.set("1", for: item)
            try Key(scratch.keyring.search(keyring: NamespaceRings.leasesName)).revoke()
            isBlocked = waitsForCollection(try blockage())
        }
        #expect(isBlocked)
    }

    @Test("a store that is gone leaves nothing of a ring that it could not make")
    func goneMaker() throws {
        var isBlocked = false
        for _ in 0..<20 where !isBlocked {
            try store.set("1", for: item)
            try Key(scratch.keyring.search(keyring: NamespaceRings.leasesName)).revoke()
            let gone = try NamespaceRings(scope: scratch.scope, namespace: "default")
            do throws(SecretStoreError) {
                _ = try gone.findOrMakePair(Effort())
            } catch {
                isBlocked = error.blockage.map { waitsForCollection($0) } ?? false
            }
        }
        #expect(isBlocked)
        let prefix = NamespaceRings.makingPrefix
        #expect(
            try becomesTrue { () throws in
                try !scratch.keyring.members().contains { serial in
                    (try? Key(serial).describe().name.hasPrefix(prefix)) == true
                }
            })
    }

    @Test("making a ring is blocked while another maker holds its lease")
    func otherMaker() throws {
        let makers = LeaseRing(scratch.keyring, permissions: .possessorAll)
        let prefix = NamespaceRings.makingPrefix
        guard let held = try makers.acquire(prefix + name, lasting: .seconds(600), waiting: .seconds(60)),
            let own = try makers.acquire(
                prefix + NamespaceRings.leasesName, lasting: .seconds(600), waiting: .seconds(60))
        else {
            Issue.record("both are free")
            return
        }
        RingMaking(NamespaceRings.leasesName, of: rings, own).keep()
        let step = try rings.make(name, in: scratch.keyring, Effort())
        #expect(step.blockage == .ringMaker)
        _ = consume held
    }

    @Test("a late maker keeps the existing ring")
    func lateMaker() throws {
        try store.set("1", for: item)
        let ring = try scratch.keyring.search(keyring: name)
        let displaced = try keyringInAnother("displaced")
        let effort = Effort()
        for old in [nil, displaced] {
            let step = try rings.make(name, in: scratch.keyring, inPlaceOf: old, effort)
            guard case .done(nil) = step else {
                Issue.record("it made a ring, or was blocked")
                return
            }
        }
        #expect(try scratch.keyring.links(Key(ring)))
        #expect(try store.get(item) == "1")
    }

    @Test("a replaced ring hands over its items and loses its removal permissions")
    func replaced() throws {
        try store.set("1", for: item)
        let old = try scratch.keyring.search(keyring: name)
        try keyringInAnother("aside").link(Key(old))
        try Key(old).setPermissions([.possessorAll, .userRead])
        try old.restrict()
        let effort = Effort()
        // An attempt loses its lease only if this process was stopped for two seconds.
        for _ in 0..<5 {
            guard try scratch.keyring.links(Key(old)) else { break }
            _ = try rings.make(name, in: scratch.keyring, inPlaceOf: old, effort)
        }
        let new = try #require(try rings.findItems())
        #expect(new != old)
        #expect(try new.members() == old.members())
        #expect(try Key(old).describe().permissions == .possessorAll)
        #expect(try store.get(item) == "1")
    }

    @Test("a writer that meets a restricted ring looks for the ring that replaced it")
    func replacedMeanwhile() throws {
        try store.set("1", for: item)
        let backend = try #require(store.backend as? KernelBackend)
        let restricted = try keyringInAnother("restricted")
        try restricted.restrict()
        let error = KeyringError(.notPermitted, in: .move)
        let effort = Effort()
        let pair = try backend.pairInPlaceOfRestricted(restricted, error, item: item, effort)
        #expect(try pair.items == scratch.keyring.search(keyring: name))
    }

    @Test("missing rings are searched for each time; found rings are remembered")
    func remembered() throws {
        for _ in 0..<2 {
            #expect(try rings.items() == nil)
            #expect(try rings.leasesRing() == nil)
        }
        try store.set("1", for: item)
        let effort = Effort()
        let pair = try rings.findOrMakePair(effort)
        #expect(rings.knownItems == pair.items)
        let reader = try NamespaceRings(scope: scratch.scope, namespace: "default")
        #expect(try reader.items() == pair.items)
        #expect(try reader.leasesRing() == pair.leases)
        try scratch.keyring.clear()
        #expect(try rings.pair(effort) == pair)
        #expect(reader.knownItems == pair.items)
        #expect(try reader.leasesRing() == pair.leases)
    }

    @Test("a read-only view of a namespace has the access it was given and finds the items", arguments: [false, true])
    func lookedAt(isOpenToOwner: Bool) throws {
        try store.set("1", for: item)
        let ring = try scratch.keyring.search(keyring: name)
        let access = isOpenToOwner ? SecretScope.ItemAccess.owner : .possessor
        let backend = KernelBackend(lookingAt: ring, namespace: "default", under: scratch.keyring, access: access)
        #expect(backend.rings.scope.access == access)
        #expect(try backend.rings.findItems() == ring)
        #expect(try backend.rings.findLeasesRing() == nil)
        #expect(try backend.identities() == [item])
    }

    @Test("a thread's rings are for possessors only; after it ends, get is nil and set throws")
    func endedThread() throws {
        let made = Locked<SecretStore?>(nil)
        let permissions = Locked<[KeyPermissions]>([])
        try ThreadTeam.run(1) { _ in
            let store = try SecretStore(.thread)
            try store.set("1", for: item)
            for serial in try Keyring.resolve(.threadKeyring).members() {
                let found = try Key(serial).describe().permissions
                permissions.withLock { $0.append(found) }
            }
            made.withLock { $0 = store }
        }
        #expect(permissions.withLock { $0 } == [.possessorAll, .possessorAll])
        let store = try #require(made.withLock { $0 })
        let backend = try #require(store.backend as? KernelBackend)
        let anchor = Key(backend.rings.anchor)
        #expect(becomesTrue { (try? anchor.describe()) == nil })
        #expect(try store.get(item, as: String.self) == nil)
        #expect { try store.set("2", for: item) } throws: { ($0 as? SecretStoreError)?.code == .notFound }
    }
}
