import Keyutils
import SessionKeyring
import Threads

extension BackendConformance {
    /// Suspends the task until an item with a timeout of at most one second has expired.
    private static func awaitExpiry(of item: ItemIdentity, in store: SecretStore) async throws {
        let end = ContinuousClock.now + .milliseconds(1_100)
        // The time is noted before each look, so that a delay of this task doesn't make the item seem to live longer.
        var now = ContinuousClock.now
        while try store.contains(item) {
            try expect(now < end, "an item expires in time")
            try await Task.sleep(for: .milliseconds(10))
            now = .now
        }
    }

    static let creation = [
        Check("add creates an item, and never replaces one") { store in
            try store.add("first", for: item)
            try expect(.duplicate, "a second add") { try store.add("second", for: item) }
            try expect(try store.get(item) == "first", "the first value stays")
            try store.delete(item)
            try store.add("third", for: item)
            try expect(try store.get(item) == "third", "add works again after a delete")
            try store.clear()
            try store.add("fourth", for: item)
            try expect(try store.get(item) == "fourth", "add works again after a clear")
        },
        Check(
            "add replaces an expired item",
            inTask: { store in
                try store.set("old", for: item, lasting: .seconds(1))
                try await awaitExpiry(of: item, in: store)
                try store.add("new", for: item)
                try expect(try store.get(item) == "new", "get returns the new value")
                try expect(.duplicate, "a second add") { try store.add("newer", for: item) }
            }),
    ]

    static let expiry = [
        Check(
            "an expired item is absent for every operation",
            inTask: { store in
                try store.set("brief", for: item, lasting: Lifetime(.milliseconds(300)))
                try store.set("lasting", for: .password(service: "lasting"))
                try await awaitExpiry(of: item, in: store)
                try expect(try store.get(item) == nil as String?, "get returns nil")
                try expect(try !store.expire(item, timeout: .seconds(9)), "expire returns false")
                try expect(try store.identities().map(\.service) == ["lasting"], "identities leaves it out")
                try expect(try store.items().map(\.item.service) == ["lasting"], "items leaves it out")
                try expect(try !store.delete(item), "delete returns false")
                try store.set("again", for: item)
                try expect(try store.get(item) == "again", "set stores it again")
            }),
        Check(
            "a later set without a timeout removes the timeout, and expire sets one",
            inTask: { store in
                let brief = ItemIdentity.password(service: "brief")
                try store.set("1", for: item, lasting: .seconds(1))
                try store.set("2", for: item)
                try store.set("1", for: brief)
                try expect(try store.expire(brief, timeout: .seconds(1)), "expire finds the item")
                // The removed timeout would have ended no later.
                try await awaitExpiry(of: brief, in: store)
                try expect(try store.get(brief) == nil as String?, "an item with a timeout expires")
                try expect(try store.get(item) == "2", "an item without a timeout stays")
            }),
        Check(
            "expire with nil removes only the timeout",
            inTask: { store in
                try expect(try !store.expire(item, timeout: nil), "expire returns false for an absent item")
                try store.set("value", for: item, lasting: .seconds(60))
                try expect(try store.expire(item, timeout: nil), "expire finds the item")
                try expect(try store.items().map(\.expiry) == [.never], "the item has no timeout")
                try expect(try store.get(item) == "value", "the value stays")
                try expect(try store.expire(item, timeout: nil), "expire finds an item without a timeout")
                try store.set("brief", for: item, lasting: Lifetime(.milliseconds(300)))
                try await awaitExpiry(of: item, in: store)
                try expect(try !store.expire(item, timeout: nil), "an expired item is not revived")
                try expect(try store.get(item) == nil as String?, "it stays absent")
            }),
        Check("invalid timeouts are refused, and the item stays unchanged") { store in
            try store.set("kept", for: item)
            for timeout: Duration in [.zero, .seconds(-1), .milliseconds(-1), .seconds(4_294_967_296)] {
                try expect(.invalidTimeout, "set") { try store.set("x", for: item, lasting: Lifetime(timeout)) }
                try expect(.invalidTimeout, "expire") { try store.expire(item, timeout: timeout) }
            }
            try expect(try store.get(item) == "kept", "the value stays")
            try expect(try store.items().map(\.expiry) == [.never], "it still has no timeout")
            try store.set("long", for: item, lasting: .seconds(4_294_967_295))
            try expect(try store.get(item) == "long", "the longest timeout works")
        },
    ]

    static let threads = [
        Check("threads see only complete values, and each thread sees its own last write") { store in
            let shared = ItemIdentity.password(service: "shared")
            try store.set([UInt8](repeating: 1, count: 1), for: shared)
            try ThreadTeam.run(8) { thread in
                let own = ItemIdentity.password(service: "own", account: "\(thread)")
                for round in 0..<100 {
                    let byte = UInt8(thread * 25 + round % 25 + 1)
                    try store.set([UInt8](repeating: byte, count: Int(byte)), for: shared)
                    try store.set("\(round)", for: own)
                    try expect(try store.get(own) == "\(round)", "a thread reads its own write")
                    guard let value: [UInt8] = try store.get(shared) else {
                        throw Failure(description: "a value that is only replaced is never absent")
                    }
                    try expect(Int(value[0]) == value.count && Set(value).count == 1, "no value is torn")
                }
            }
        },
        Check("if several threads add the same item at the same time, exactly one succeeds") { store in
            for round in 0..<20 {
                let item = ItemIdentity.password(service: "race", account: "\(round)")
                let winners = Locked<[Int]>([])
                try ThreadTeam.run(6) { thread in
                    do {
                        try store.add("\(thread)", for: item)
                        winners.withLock { $0.append(thread) }
                    } catch let error as SecretStoreError where error.code == .duplicate {}
                }
                let won = winners.withLock { $0 }
                try expect(won.count == 1, "\(won.count) of 6 adds succeeded")
                try expect(try store.get(item) == "\(won[0])", "the winner's value is stored")
            }
        },
    ]
}
