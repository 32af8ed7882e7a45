import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "listed")

@Suite("Lists of items", .tags(.kernel))
struct ListingTests {
    @Test("an item that is replaced while somebody looks at it is there with the time that it has left")
    func replacedMeanwhile() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("first", for: item, timeout: .seconds(600))
        print("seed \(testSeed)")
        let wrong = Locked(0)
        for round in 0..<150 {
            try ThreadTeam.run(2) { thread in
                guard thread == 0 else {
                    var random = Choices(seed: testSeed, stream: UInt64(round))
                    let end = ContinuousClock.now + .microseconds(Int.random(in: 0..<500, using: &random))
                    while ContinuousClock.now < end {}
                    try store.set("\(round)", for: item, timeout: .seconds(600))
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

    @Test("the kernel's items are listed in order, so that nobody has to sort them for long")
    func inOrder() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        for account in ["xab", "x", "b", "xabc", "a", "xa"] {
            for service in ["b", "a"] { try store.set("1", for: .password(service: service, account: account)) }
        }
        let sorted = try store.identities()
        #expect(sorted.count == 12)
        // While others move keyrings, the kernel may miss a key for a moment, which comes last then.
        #expect(try becomesTrue(within: 1) { try store.backend.identities() == sorted })
    }

    @Test("of keys that nobody may read, those that are items are told")
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
