import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "listed")

@Suite("Listing items", .tags(.kernel, .threads))
struct ListingTests {
    @Test("an item that is being replaced is always listed with its remaining time")
    func replacedMeanwhile() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("first", for: item, lasting: .seconds(600))
        print("seed \(testSeed)")
        let wrong = Locked(0)
        for round in 0..<150 {
            try ThreadTeam.run(2) { thread in
                guard thread == 0 else {
                    var random = Choices(seed: testSeed, stream: UInt64(round))
                    let end = ContinuousClock.now + .microseconds(Int.random(in: 0..<500, using: &random))
                    while ContinuousClock.now < end {}
                    try store.set("\(round)", for: item, lasting: .seconds(600))
                    return
                }
                let found = try round % 2 == 0 ? store.items() : [store.attributes(of: item)].compactMap { $0 }
                guard found.count == 1, case .after = found[0].expiry else {
                    wrong.withLock { $0 += 1 }
                    return
                }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test("items of all kinds are listed", arguments: ItemIdentity.Kind.allCases)
    func allKinds(kind: ItemIdentity.Kind) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let item: ItemIdentity =
            switch kind {
            case .key: .key(tag: "k")
            case .secret: .secret(attributes: ["a": "b"])
            default: ItemIdentity(kind, service: "s", account: "a")
            }
        try store.set("1", for: item)
        #expect(item.kind == kind)
        #expect(try store.identities() == [item])
    }

    @Test("the kernel backend lists items in order")
    func inOrder() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        for account in ["xab", "x", "b", "xabc", "a", "xa"] {
            for service in ["b", "a"] { try store.set("1", for: .password(service: service, account: account)) }
        }
        let sorted = try store.identities()
        #expect(sorted.count == 12)
        // If others move keyrings, the kernel may miss a key for a moment. That key then comes last.
        #expect(try becomesTrue(within: 1) { try store.backend.identities() == sorted })
    }

    @Test("a list contains each item exactly once while items are being replaced")
    func completeMeanwhile() throws { try completeMeanwhile(lists: 60) }

    @Test("300 lists contain each item exactly once while items are being replaced", .tags(.long))
    func completeInManyLists() throws { try completeMeanwhile(lists: 300) }

    private func completeMeanwhile(lists: Int) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let items = (0..<12).map { ItemIdentity.password(service: "listed \($0)") }
        for item in items { try store.set("0", for: item) }
        let isDone = Locked(false)
        let wrong = Locked(0)
        try ThreadTeam.run(4) { thread in
            guard thread == 0 else {
                while !isDone.withLock({ $0 }) { try store.set("1", for: items[thread]) }
                return
            }
            defer { isDone.withLock { $0 = true } }
            for _ in 0..<lists {
                let listed = try store.identities()
                if listed.count != items.count || Set(listed) != Set(items) { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test("itemsWithHidden ignores keyrings and unviewable keys with hidden names")
    func besideHiddenItems() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("1", for: .password(service: "plain"))
        let backend = try #require(store.backend as? KernelBackend)
        #expect(try backend.itemsWithHidden().isEmpty)
        let ring = try scratch.keyring.search(keyring: "skr:default")
        let (absent, other) = (ItemIdentity.password(service: "absent"), ItemIdentity.password(service: "other"))
        let hidden = try Wait.forQuota { () throws(KeyringError) -> Key in
            try ring.add(.user, absent.watch.keyDescription, payload: [1].span.bytes)
            _ = try ring.addKeyring(other.watch.keyDescription)
            return try ring.add(.user, other.companion.keyDescription, payload: [1].span.bytes)
        }
        try hidden.setPermissions([.userSetAttribute])
        #expect(try backend.itemsWithHidden() == [absent])
    }

    @Test("unreadableKeys lists unreadable items, but not other unreadable keys or keyrings")
    func unreadable() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("1", for: item)
        let ring = try scratch.keyring.search(keyring: "skr:default")
        let payload: [UInt8] = [1]
        let (others, hidden) = try Wait.forQuota { () throws(KeyringError) in
            (
                [
                    try ring.add(.user, "another program's", payload: payload.span.bytes),
                    Key(try ring.addKeyring("password:ring:")),
                ], try ring.add(.user, "password:hidden:", payload: payload.span.bytes)
            )
        }
        for key in others { try key.setPermissions([.userView, .userSetAttribute]) }
        #expect(try store.unreadableKeys().isEmpty)
        try hidden.setPermissions([.userView, .userSetAttribute])
        #expect(try store.unreadableKeys() == [hidden.serial])
    }
}
