import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

private let item = ItemIdentity.password(service: "trap", account: "a")

/// The traps of the kernel's key facility that a naive implementation falls into.
///
/// Each test fails if the naive implementation is put back. The races are short, and run at full length in ``races()``.
@Suite("Traps", .tags(.kernel, .threads))
struct TrapTests {
    /// Returns the ring in which a store of the default namespace keeps its items.
    private func itemsRing(of scratch: borrowing ScratchKeyring) throws -> Keyring {
        try scratch.keyring.search(keyring: "skr:default")
    }

    @Test("replacing an item sets the new timeout, which an in-place update would clear")
    func replacingKeepsTimeout() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        for round in 0..<5 {
            try store.set("\(round)", for: item, lasting: .seconds(100))
            let left = try #require(try store.items().first?.timeLeft, "the item has a timeout after round \(round)")
            #expect(left.atLeast <= .seconds(100))
        }
    }

    @Test("an item has its permissions and its timeout from the first moment that it is visible")
    func completeFromTheStart() throws { try completeFromTheStart(rounds: 600) }

    private func completeFromTheStart(rounds: Int) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("x", for: item, lasting: .seconds(100))
        let ring = try itemsRing(of: scratch)
        let stop = Locked(false)
        let incomplete = Locked(0)
        let looks = Locked(0)
        try ThreadTeam.run(2) { thread in
            guard thread == 0 else {
                defer { stop.withLock { $0 = true } }
                let giveUp = ContinuousClock.now + .seconds(30)
                var round = 0
                // On a busy machine, more rounds than these, so that the other thread sees several of them.
                while round < rounds || looks.withLock({ $0 }) <= 10 && ContinuousClock.now < giveUp {
                    try store.set("\(round)", for: item, lasting: .seconds(100))
                    round += 1
                }
                return
            }
            while !stop.withLock({ $0 }) {
                guard let key = try? ring.search(.user, item.keyDescription) else { continue }
                guard let permissions = try? key.describe().permissions else { continue }
                if permissions != .possessorAll { incomplete.withLock { $0 += 1 } }
                if case .never? = try KeyTable.snapshot()[key.serial]?.expiry { incomplete.withLock { $0 += 1 } }
                looks.withLock { $0 += 1 }
            }
        }
        #expect(incomplete.withLock { $0 } == 0)
        #expect(looks.withLock { $0 } > 10)
    }

    @Test("a reader never finds a gap while an item is replaced")
    func noGap() throws { try noGap(rounds: 3_000) }

    private func noGap(rounds: Int) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("start", for: item)
        let stop = Locked(false)
        let gaps = Locked(0)
        let reads = Locked(0)
        try ThreadTeam.run(3) { thread in
            guard thread > 0 else {
                for round in 0..<rounds { try store.set("\(round)", for: item, lasting: .seconds(60)) }
                stop.withLock { $0 = true }
                return
            }
            while !stop.withLock({ $0 }) {
                if try store.get(item, as: String.self) == nil { gaps.withLock { $0 += 1 } }
                reads.withLock { $0 += 1 }
            }
        }
        #expect(gaps.withLock { $0 } == 0)
        #expect(reads.withLock { $0 } > 100)
    }

    @Test("get never returns a value that was replaced before it began")
    func neverStale() throws { try neverStale(rounds: 1_500) }

    private func neverStale(rounds: Int) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("0", for: item)
        let newest = Locked(0)
        try ThreadTeam.run(3) { thread in
            for round in 1...rounds {
                if thread == 0 {
                    try store.set("\(round)", for: item)
                    newest.withLock { $0 = round }
                } else {
                    let before = newest.withLock { $0 }
                    let value = try store.get(item, as: String.self).flatMap { Int($0) }
                    if value == nil || value ?? -1 < before { throw Stale(value: value, before: before) }
                }
            }
        }
    }

    private struct Stale: Error {
        let value: Int?
        let before: Int
    }

    @Test("a namespace's rings have no timeout, which would lose the items without protecting them")
    func ringsHaveNoTimeout() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("x", for: item, lasting: .seconds(5))
        let table = try KeyTable.snapshot()
        for serial in try scratch.keyring.members() {
            #expect(table[serial]?.expiry == .never)
            #expect(try Key(serial).describe().permissions == .possessorAll)
        }
    }

    @Test("a removed ring of a namespace is created again, and nothing is written to the old one")
    func removedRing() throws { try removedRing(rounds: 4) }

    private func removedRing(rounds: Int) throws {
        let scratch = try ScratchKeyring()
        for access in [SecretScope.ItemAccess.possessor, .owner] {
            let store = try SecretStore(.keyring(scratch.keyring.serial, isOpenToOwner: access == .owner))
            try store.set("1", for: item)
            for _ in 0..<rounds {
                let ring = Key(try itemsRing(of: scratch))
                try scratch.keyring.unlink(ring)
                // Items that all of the user's processes can read stay readable until the kernel has
                // collected the ring.
                if access == .owner { #expect(becomesTrue { (try? ring.describe()) == nil }) }
                #expect(try store.get(item, as: String.self) == nil)
                try store.set("2", for: item, lasting: .seconds(60))
                #expect(try SecretStore(.keyring(scratch.keyring.serial)).get(item) == "2")
                try scratch.keyring.clear()
                try store.add("3", for: item)
                #expect(try store.get(item) == "3")
                try scratch.keyring.clear()
                #expect(try store.items().isEmpty)
                #expect(try !store.delete(item))
                try store.clear()
                try store.set("4", for: item)
            }
            try scratch.keyring.clear()
        }
    }

    @Test("a revoked or invalidated ring does not block its namespace")
    func deadRing() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("1", for: item)
        try Key(itemsRing(of: scratch)).revoke()
        #expect(try store.get(item, as: String.self) == nil)
        try store.set("2", for: item)
        #expect(try store.get(item) == "2")
        try Key(itemsRing(of: scratch)).invalidate()
        try store.set("3", for: item)
        #expect(try store.get(item) == "3")
    }

    @Test("an item that was just deleted, revoked or invalidated can be added immediately")
    func addOverDying() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        for round in 0..<100 {
            try store.add("\(round)", for: item)
            let key = try itemsRing(of: scratch).search(.user, item.keyDescription)
            switch round % 3 {
            case 0: try store.delete(item)
            case 1: try key.invalidate()
            default: try key.revoke()
            }
            #expect(try store.get(item, as: String.self) == nil)
            #expect(try store.identities().isEmpty)
        }
    }

    /// The more writers there are, the less often a listed key still exists when the store looks at it.
    @Test("a list never misses an item that is being replaced", arguments: [1, 6])
    func listsWhatIsReplaced(writers: Int) throws { try listsWhatIsReplaced(writers: writers, rounds: 3_000) }

    private func listsWhatIsReplaced(writers: Int, rounds: Int) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("0", for: item)
        let writing = Locked(writers)
        try ThreadTeam.run(writers + 1) { thread in
            guard thread == 0 else {
                defer { writing.withLock { $0 -= 1 } }
                for round in 0..<rounds / writers { try store.set("\(round)", for: item) }
                return
            }
            while writing.withLock({ $0 }) > 0 {
                #expect(try store.identities() == [item])
                #expect(try store.items().map(\.item) == [item])
            }
        }
    }

    @Test("the traps stay harmless in long races", .tags(.long))
    func races() throws {
        try completeFromTheStart(rounds: 3_000)
        try noGap(rounds: 20_000)
        try neverStale(rounds: 8_000)
        try removedRing(rounds: 20)
        for writers in [1, 6] { try listsWhatIsReplaced(writers: writers, rounds: 15_000) }
    }

    @Test("keys of other programs in the ring are not listed, and do no harm")
    func foreignKeys() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("mine", for: item)
        let ring = try itemsRing(of: scratch)
        let names = [
            "other", "password:", "password:a", "password:a:b:c", "password:%61:", "key:", "password:a b:",
            "password:%zz:",
        ]
        // The kernel may not have collected the keys of the previous test yet.
        try Wait.forQuota { () throws(KeyringError) in
            for name in names { try ring.add(.user, name, payload: [1].span.bytes) }
            _ = try ring.addKeyring("password:ring:")
        }
        #expect(try store.identities() == [item])
        #expect(try store.items().map(\.item) == [item])
    }

    @Test("keyctl shows the secret's own bytes under a readable name")
    func readableByOthers() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("tok3n", for: .password(service: "api.example.com", account: "alice smith"))
        let key = try itemsRing(of: scratch).search(.user, "password:api.example.com:alice%20smith")
        let text = try key.withPayload { bytes in bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        #expect(text == "tok3n")
    }
}
